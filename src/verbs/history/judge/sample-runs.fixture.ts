import type { StoredRun } from '../../../model/series/history.ts';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { historyRun } from '../../../judge/series/history-run.ts';

/** Test support: this many runs of the synthetic plan, made from the real results with their latencies multiplied. */
export const storedRuns = (count: number, factor: number, from = 0): readonly StoredRun[] =>
  sampleSide('a', count, { seed: 5 + from, factor, noise: 0.03 }).repetitions.map(
    (repetition, i) => {
      const run = historyRun(repetition);
      if (run === null) throw new Error('the sample must count');
      const day = new Date(Date.UTC(2026, 1, 1 + from + i)).toISOString();
      return { ...run, id: from + i + 1, startedAt: day, baselines: [] };
    },
  );
