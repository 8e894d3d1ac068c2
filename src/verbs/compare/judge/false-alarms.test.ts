// @long 200 s
import { describe, expect, it, vi } from 'vitest';
import type { ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { compareSides } from './compare-sides.ts';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { verdictOn } from './one-against-one.fixture.ts';
import { sharesOfVerdicts } from './repeated-sides.fixture.ts';
import { selfNoise } from './self-noise.ts';

vi.setConfig({ testTimeout: 600_000 });

/** The real judge's verdicts on simulated sides of five runs, each run's luck with a standard deviation of 5 %. */
const verdicts = (simulations: number, factor: number): Record<ComparisonVerdict, number> => {
  const counts = { regression: 0, inconclusive: 0, improvement: 0, same: 0 };
  for (let i = 0; i < simulations; i += 1) {
    const base = sampleSide('a', 5, { seed: 2 * i, noise: 0.05 });
    const next = sampleSide('b', 5, { seed: 2 * i + 1, noise: 0.05, factor });
    counts[verdictOn(base, next)] += 1;
  }
  return counts;
};

// `npm run bench comparisons` tries more.
describe('runs of an unchanged gateway', () => {
  const comparisons = 10_000;

  it.each([
    { runs: 5, noise: 0.05 },
    { runs: 5, noise: 0.1 },
    { runs: 5, noise: 0.1, drift: 0.03 },
    { runs: 5, noise: 0.1, luck: 'normal' as const },
    { runs: 5, noise: 0.1, walk: 0.03 },
    { runs: 5, noise: 0.1, isShared: true },
    { runs: 8, noise: 0.1 },
  ])('in turns are a false alarm in at most 1 %: %j', (cell) => {
    const { regression } = sharesOfVerdicts(comparisons, { isShared: false, ...cell });
    expect(regression).toBeLessThanOrEqual(0.01);
  });

  it.each([
    { runs: 5, noise: 0.02 },
    { runs: 5, noise: 0.05 },
    { runs: 5, noise: 0.1 },
    { runs: 5, noise: 0.1, luck: 'normal' as const },
    { runs: 5, noise: 0.05, isShared: true },
    { runs: 5, noise: 0.05, walk: 0.03 },
    { runs: 8, noise: 0.05 },
    { runs: 8, noise: 0.1 },
    { runs: 8, noise: 0.02, walk: 0.03 },
  ])('that drift by 3 % a run, base first, are one in at most 2 %: %j', (cell) => {
    const drifting = { drift: 0.03, isAlternating: false, isShared: false, ...cell };
    expect(sharesOfVerdicts(comparisons, drifting).regression).toBeLessThanOrEqual(0.02);
  });
});

describe('the verdict of a comparison, at 5 % noise between runs and five against five', () => {
  it('is a false alarm in at most 1 % of comparisons of equal sides', () => {
    const { regression } = verdicts(1000, 1);
    expect(regression).toBeLessThanOrEqual(10);
  });

  it('detects 25 % more in at least 90 % of comparisons', () => {
    const { regression } = verdicts(300, 1.25);
    expect(regression).toBeGreaterThanOrEqual(270);
  });

  it('detects changes of the size that it calls detectable in about 90 % of comparisons, by the noise of unchanged runs', () => {
    const common = {
      gates: null,
      allowed: [],
      weir: '0.1.0',
      comparedAt: '2026-07-01T10:20:30.000Z',
    };
    const side = sampleSide('noise', 100, { seed: 7, noise: 0.05 });
    const measured = selfNoise({ side, ...common });
    if (!measured.ok) throw new Error('the runs must be comparable');
    const id = 'chat-stream ttft.p50';
    const { detectable } = measured.noise.metrics.find((metric) => metric.id === id)!;
    const { change } = detectable.find(({ repetitions }) => repetitions === 5)!;
    let seen = 0;
    for (let i = 0; i < 300; i += 1) {
      const found = compareSides({
        base: sampleSide('a', 5, { seed: 2 * i + 10_000, noise: 0.05 }),
        next: sampleSide('b', 5, { seed: 2 * i + 10_001, noise: 0.05, factor: change }),
        intended: [],
        ...common,
      });
      if (!found.ok) throw new Error('the sides must be comparable');
      const { metrics } = found.comparison;
      if (metrics.find((metric) => metric.id === id)!.verdict === 'regression') seen += 1;
    }
    // The noise is itself known from a hundred runs only, and Hochberg is a little kinder than Bonferroni.
    expect(seen).toBeGreaterThanOrEqual(255);
    expect(change).toBeLessThan(1.25);
  });
});
