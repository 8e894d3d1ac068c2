import type { StopCause } from '../../run/input/host.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import { mayFailMore, type PairsReport } from './model/pairs.ts';

/**
 * Returns the exit of a paired comparison. The comparison passes only if every limit is surely kept, and if nothing
 * suggests that the new side fails more often (`mayFailMore`).
 */
export const exitForPairs = (
  {
    base,
    next,
    verdict,
    limits,
    failures,
  }: {
    readonly base: Pick<PairsReport['base'], 'trust' | 'outcomes'>;
    readonly next: Pick<PairsReport['base'], 'trust' | 'outcomes'>;
  } & Pick<PairsReport, 'verdict' | 'limits' | 'failures'>,
  { stoppedBy, partial }: { readonly stoppedBy: StopCause | null; readonly partial: string | null },
): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (base.trust === 'invalid' || next.trust === 'invalid') return 'invalid';
  if ([base, next].some(({ outcomes }) => outcomes.completed === 0)) return 'empty';
  if (verdict === 'worse' || verdict === 'fails more') return 'regression';
  // A part of the load can show a fault, but cannot prove that there is none.
  if (partial !== null) return 'incomplete';
  const mustDecide = limits.length > 0 || mayFailMore(failures);
  return verdict === 'undecided' && mustDecide ? 'inconclusive' : 'pass';
};
