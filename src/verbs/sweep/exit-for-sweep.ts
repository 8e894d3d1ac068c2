import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import type { SweepPoint, SweepReport } from './model/sweep.ts';

/** Returns the exit of a sweep. If points were excluded or not run, the sweep is undecided. */
export const exitForSweep = ({
  points,
  partial,
}: Pick<SweepReport, 'partial'> & {
  readonly points: readonly Pick<SweepPoint, 'verdict'>[];
}): ExitName => {
  const verdicts = new Set(points.map(({ verdict }) => verdict));
  return gravestExit([
    ...(partial === null && !verdicts.has('missing') ? [] : (['incomplete'] as const)),
    ...(verdicts.has('excluded') ? (['invalid'] as const) : []),
    ...(verdicts.has('kept') ? [] : (['objective'] as const)),
  ]);
};
