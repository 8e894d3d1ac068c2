import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/draw.ts';
import { historySchema, type StoredRun } from '../../model/history.ts';
import { sampleSide } from '../compare/sample-sides.ts';
import { historyRun } from './history-run.ts';
import { trendsOf } from './trends.ts';

/** So many runs of the synthetic plan from the real results, at a factor of its latencies. */
const runs = (count: number, factor: number, from = 0): readonly StoredRun[] =>
  sampleSide('a', count, { seed: 5 + from, factor, noise: 0.03 }).repetitions.map(
    (repetition, i) => {
      const run = historyRun(repetition);
      if (run === null) throw new Error('the sample must count');
      const day = new Date(Date.UTC(2026, 1, 1 + from + i)).toISOString();
      return { ...run, id: from + i + 1, startedAt: day, baselines: [] };
    },
  );

const drawFor = (figure: number) => drawFrom(1, figure);

describe('what the history keeps of a run', () => {
  it('has the metrics that a comparison gates', () => {
    expect(runs(1, 1)[0]!.figures.map(({ id }) => id)).toStrictEqual([
      'chat-stream ttft.p50',
      'chat-stream ttft.p95',
      'chat-stream tpot.p50',
      'chat-stream endToEnd.p50',
      'chat-stream endToEnd.p95',
      'completed',
      'outputTokens',
      'errors',
      'limited',
    ]);
  });

  it.each([
    ['is not valid', { trust: { level: 'invalid', evidence: [] } }, {}],
    ['was stopped', {}, { partial: 'stopped by SIGINT' }],
    ['has no success', {}, { groups: [] }],
  ] as const)('is nothing where the run %s', (_, repetition, result) => {
    const [first] = sampleSide('a', 1).repetitions;
    const changed = { ...first, ...repetition, result: { ...first.result, ...result } };
    expect(historyRun(changed as unknown as typeof first)).toBeNull();
  });
});

describe('trends', () => {
  it('warn of the figures whose level changed, at the run where it did', () => {
    const [trend] = trendsOf([...runs(16, 1), ...runs(6, 1.25, 16)], drawFor);
    const { figures } = trend!;
    expect(
      historySchema.parse({ format: 'history/1', weir: '0.1.0', trends: [trend] }),
    ).toBeTruthy();
    const changed = figures.filter(({ changes }) => changes.length > 0);
    expect(changed.map(({ id }) => id)).toContain('chat-stream ttft.p50');
    expect(figures.find(({ id }) => id === 'completed')!.changes).toStrictEqual([]);
    for (const { changes } of changed) {
      expect(changes).toMatchObject([{ direction: 'worse' }]);
      expect(Math.abs(changes[0]!.run - 17)).toBeLessThanOrEqual(1);
      expect(changes[0]!.after / changes[0]!.before).toBeCloseTo(1.25, 1);
    }
  });

  it('do not warn of a change below the minimum effect, however sure it is', () => {
    const [trend] = trendsOf([...runs(30, 1), ...runs(30, 1.05, 30)], drawFor);
    expect(trend!.figures.flatMap(({ changes }) => changes)).toStrictEqual([]);
  });

  it('keep plans apart, the one that ran last first', () => {
    const other = runs(2, 1, 3).map((run) => ({ ...run, planHash: 'b'.repeat(64) }));
    const trends = trendsOf([...runs(2, 1), ...other], drawFor);
    expect(trends.map((trend) => [trend.planHash[0], trend.runs.length])).toStrictEqual([
      ['b', 2],
      [expect.any(String), 2],
    ]);
  });

  it('leave a run out of the figures that it lacks', () => {
    const [first, ...others] = runs(3, 1);
    const [trend] = trendsOf([{ ...first!, figures: [] }, ...others], drawFor);
    expect(trend!.figures[0]!.points.map(({ run }) => run)).toStrictEqual([2, 3]);
  });
});
