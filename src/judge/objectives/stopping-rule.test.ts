// @gate 1 s
import { describe, expect, it } from 'vitest';
import { processes } from '../../model/measures/processes.fixture.ts';
import { decisionsOf, isWrong, looksUntil } from './simulated-decisions.fixture.ts';

it('the looks are at growing times, about ten of them in 20 minutes', () => {
  expect(looksUntil(1200)).toEqual([30, 45, 68, 101, 152, 228, 342, 513, 769, 1153, 1200]);
});

const parts = [0.9, 0.95, 1.05, 1.1];

/** `long-stopping-median.test.ts` and its like count over many runs; these few show at once that the rule is in use. */
describe('a run that looks until 101 s', () => {
  // Each of these runs is wrong after 30 or 45 s by the plain 95 % interval, and run 89 also by the dependence of the p95.
  it.each([
    { q: 0.95, runs: [27, 61, 71, 89, 96] },
    { q: 0.5, runs: [1, 41, 86] },
  ])('is not deceived by the slow waves of a queue: quantile $q of runs $runs', ({ q, runs }) => {
    for (const run of runs) {
      const decisions = decisionsOf(processes['M/M/1 at 0.8']!, { q, parts, run, atMost: 101 });
      const wrong = parts.filter((part, i) => isWrong(part, decisions[i]!));
      expect(wrong, `run ${run}`).toEqual([]);
    }
  });

  it('is soon sure of a bound that is far', () => {
    const far = { q: 0.5, parts: [0.7, 1.4], run: 0, atMost: 101 };
    expect(decisionsOf(processes['independent requests']!, far)).toEqual([
      { at: 30, isKept: false },
      { at: 30, isKept: true },
    ]);
  });
});
