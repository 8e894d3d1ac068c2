import { describe, expect, it, vi } from 'vitest';
import type { ComparisonVerdict } from '../../model/comparison.ts';
import { compareSides } from './compare-sides.ts';
import { sampleSide } from './sample-sides.ts';

vi.setConfig({ testTimeout: 600_000 });

/** The real judge's verdicts on simulated sides of five runs, each run's luck with a standard deviation of 5 %. */
const verdicts = (simulations: number, factor: number): Record<ComparisonVerdict, number> => {
  const counts = { regression: 0, inconclusive: 0, improvement: 0, same: 0 };
  for (let i = 0; i < simulations; i += 1) {
    const found = compareSides({
      base: sampleSide('a', 5, { seed: 2 * i, noise: 0.05 }),
      next: sampleSide('b', 5, { seed: 2 * i + 1, noise: 0.05, factor }),
      ...{
        gates: null,
        intended: [],
        allowed: [],
        weir: '0.1.0',
        comparedAt: '2026-07-01T10:20:30.000Z',
      },
    });
    if (!found.ok) throw new Error('the sides must be comparable');
    counts[found.comparison.verdict] += 1;
  }
  return counts;
};

describe('the judge of comparisons, at 5 % noise between runs and five against five', () => {
  it('raises a false alarm in at most one of a hundred comparisons of equal sides', () => {
    const { regression } = verdicts(1000, 1);
    expect(regression).toBeLessThanOrEqual(10);
  });

  it('sees a quarter more in at least nine of ten', () => {
    const { regression } = verdicts(300, 1.25);
    expect(regression).toBeGreaterThanOrEqual(270);
  });
});
