import type { StopCause } from '../../run/input/host.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import type { PairsReport } from './model/pairs.ts';

/** Returns the exit of a paired comparison. Only a limit that is surely kept passes. */
export const exitForPairs = (
  {
    base,
    next,
    verdict,
    limits,
  }: {
    readonly base: Pick<PairsReport['base'], 'trust' | 'outcomes'>;
    readonly next: Pick<PairsReport['base'], 'trust' | 'outcomes'>;
  } & Pick<PairsReport, 'verdict' | 'limits'>,
  { stoppedBy, partial }: { readonly stoppedBy: StopCause | null; readonly partial: string | null },
): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (base.trust === 'invalid' || next.trust === 'invalid') return 'invalid';
  if ([base, next].some(({ outcomes }) => outcomes.completed === 0)) return 'empty';
  if (verdict === 'worse' || verdict === 'fails more') return 'regression';
  // A part of the load can show a fault, but not that there is none.
  if (partial !== null) return 'incomplete';
  return verdict === 'undecided' && limits.length > 0 ? 'inconclusive' : 'pass';
};
