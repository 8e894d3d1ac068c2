import { compareSides } from './compare-sides.ts';
import { simulatedSide } from '../../../judge/series/simulated-runs.fixture.ts';
import type { ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { processes } from '../../../model/measures/processes.fixture.ts';

type Side = Parameters<typeof compareSides>[0]['base'];

/** Test support: returns the verdict on two comparable sides, by default with the default gates. */
export const verdictOn = (
  base: Side,
  next: Side,
  gates: readonly string[] | null = null,
): ComparisonVerdict => {
  const found = compareSides({
    base,
    next,
    gates,
    intended: [],
    allowed: [],
    weir: '0.1.0',
    comparedAt: '2026-07-01T10:20:30.000Z',
  });
  if (!found.ok) throw new Error('the sides must be comparable');
  return found.comparison.verdict;
};

/**
 * Test support: counts the regressions among comparisons of two single runs of a minute. The new run is slower by a
 * factor.
 */
export const regressionsOneAgainstOne = (
  process: string,
  { pairs, requests = 1000, factor = 1 }: { pairs: number; requests?: number; factor?: number },
): number => {
  const run = { requests, seconds: 60 };
  let regressions = 0;
  for (let i = 0; i < pairs; i += 1) {
    const verdict = verdictOn(
      simulatedSide('a', processes[process]!, { ...run, seed: 2 * i, factor: 1 }),
      simulatedSide('b', processes[process]!, { ...run, seed: 2 * i + 1, factor }),
    );
    if (verdict === 'regression') regressions += 1;
  }
  return regressions;
};
