// @gate 1 s
import { describe, expect, it } from 'vitest';
import { approximateSide } from '../../../judge/series/approximate-side.fixture.ts';
import { historyRun } from '../../../judge/series/history-run.ts';
import type { StoredRun } from '../../../model/series/history.ts';
import { drawFrom } from '../../../model/workload/draw.ts';
import { trendsOf } from './trends.ts';

const stored = (from: number, run: Parameters<typeof approximateSide>[1]): readonly StoredRun[] =>
  approximateSide('a', run).repetitions.map((repetition, i) => {
    const found = historyRun(repetition);
    if (found === null) throw new Error('the run must count');
    const startedAt = new Date(Date.UTC(2026, 1, from + i)).toISOString();
    return { ...found, id: from + i, startedAt, baselines: [] };
  });

const changesOf = (runs: readonly StoredRun[]) => {
  const [trend] = trendsOf(runs, (figure) => drawFrom(1, figure));
  return trend!.figures.find(({ id }) => id === 'chat endToEnd.p50')!.changes;
};

describe('the history', () => {
  it('takes runs whose figures are approximate or unknown, and none whose load was late', () => {
    const entry = (late: number, lag: number) =>
      historyRun(approximateSide('a', { late, lag, count: 1 }).repetitions[0]);
    expect(entry(8, 0.3)).toMatchObject({ trust: 'degraded' });
    expect(entry(900, 0.3)).toMatchObject({ trust: 'degraded' });
    expect(entry(0.5, 150)).toBeNull();
  });

  it.each([
    ['all runs are exact', 0.5, 0.5, 1],
    ['the later runs are approximate', 0.5, 9, 0],
    ['the earlier runs are approximate', 9, 0.5, 0],
  ])(
    'adds the errors of both levels to the least change that counts: %s',
    (_, early, late, count) => {
      const runs = [
        ...stored(1, { late: early, count: 12 }),
        ...stored(13, { late, factor: 1.5, count: 6 }),
      ];
      expect(changesOf(runs)).toHaveLength(count);
    },
  );
});
