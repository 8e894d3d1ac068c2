import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { changePoints, trendsOf } from './trends.ts';
import { foundChanges } from './sample-series.fixture.ts';
import { historySchema } from '../model/trend.ts';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { historyRun } from '../../../judge/series/history-run.ts';
import { storedRuns } from './sample-runs.fixture.ts';

describe('change points', () => {
  it('are found at each of several steps', () => {
    const changes = foundChanges(3, [
      [20, 1],
      [20, 1.4],
      [20, 0.9],
    ]);
    expect(changes.map(({ at }) => at)).toStrictEqual([20, 40]);
    expect(changes.every(({ p }) => p < 0.01)).toBe(true);
  });

  it('are not moved by one outlier', () => {
    expect(
      foundChanges(5, [
        [15, 1],
        [1, 3],
        [15, 1],
      ]),
    ).toStrictEqual([]);
  });

  it('need twelve runs with different values', () => {
    expect(
      foundChanges(1, [
        [8, 1],
        [3, 9],
      ]),
    ).toStrictEqual([]);
    expect(
      changePoints(
        Array.from({ length: 40 }, () => 0),
        drawFrom(1),
      ),
    ).toStrictEqual([]);
  });

  it('lie where the energy distance of both parts is greatest, by its definition', () => {
    const separationAt = (values: readonly number[], at: number): number => {
      const [one, other] = [values.slice(0, at), values.slice(at)];
      const apart = (a: readonly number[], b: readonly number[]): number =>
        a.flatMap((x) => b.map((y) => Math.abs(x - y))).reduce((sum, each) => sum + each, 0);
      const within = (part: readonly number[]): number =>
        apart(part, part) / (part.length * (part.length - 1));
      const between = (2 * apart(one, other)) / (one.length * other.length);
      return (
        ((one.length * other.length) / values.length) * (between - within(one) - within(other))
      );
    };
    for (const [growth, count] of [
      [1.1, 12],
      [1.2, 12],
      [1.2, 16],
      [1.3, 16],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => growth ** i);
      const places = Array.from({ length: count - 5 }, (_, i) => i + 3);
      const best = places.toSorted((a, b) => separationAt(values, b) - separationAt(values, a))[0];
      expect(changePoints(values, drawFrom(1)).map(({ at }) => at)).toEqual([best]);
    }
  });

  it('have the share of permutations that are as clear, also the series itself', () => {
    // Of two clear levels, hardly any other order is as clear.
    const [change] = changePoints([1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9], drawFrom(1));
    expect(change!.p).toBeGreaterThan(0);
    expect(change!.p).toBeLessThan(0.01);
  });

  it('are the same for the same series', () => {
    const levels = [
      [15, 1],
      [15, 1.1],
    ] as const;
    expect(foundChanges(9, levels)).toStrictEqual(foundChanges(9, levels));
  });
});

const drawFor = (figure: number) => drawFrom(1, figure);

describe('the history entry of a run', () => {
  it('has the metrics that a comparison gates', () => {
    expect(storedRuns(1, 1)[0]!.figures.map(({ id }) => id)).toStrictEqual([
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
    ['is not valid', { trust: { level: 'invalid', evidence: [], figures: [] } }, {}],
    ['was stopped', {}, { partial: 'stopped by SIGINT' }],
    ['has no success', {}, { groups: [] }],
  ] as const)('is absent if the run %s', (_, repetition, result) => {
    const [first] = sampleSide('a', 1).repetitions;
    const changed = { ...first, ...repetition, result: { ...first.result, ...result } };
    expect(historyRun(changed as unknown as typeof first)).toBeNull();
  });
});

describe('trends', () => {
  it('warn of metrics whose level changed, at the run of the change', () => {
    const [trend] = trendsOf([...storedRuns(16, 1), ...storedRuns(6, 1.25, 16)], drawFor);
    const { figures } = trend!;
    const history = { format: 'history/1', weir: '0.1.0', trends: [trend] };
    expect(historySchema.parse(history)).toStrictEqual(history);
    const changed = figures.filter(({ changes }) => changes.length > 0);
    expect(changed.map(({ id }) => id)).toContain('chat-stream ttft.p50');
    expect(figures.find(({ id }) => id === 'completed')!.changes).toStrictEqual([]);
    for (const { changes } of changed) {
      expect(changes).toMatchObject([{ direction: 'worse' }]);
      expect(Math.abs(changes[0]!.run - 17)).toBeLessThanOrEqual(1);
      expect(changes[0]!.after / changes[0]!.before).toBeCloseTo(1.25, 1);
    }
  });

  it('compare the levels on both sides of each change, and no earlier ones', () => {
    const runs = [1, 1.5, 2.25].flatMap((factor, i) => storedRuns(14, factor, 14 * i));
    const { figures } = trendsOf(runs, drawFor)[0]!;
    const { changes } = figures.find(({ id }) => id === 'chat-stream ttft.p50')!;
    expect(changes.map(({ before, after }) => after / before)).toEqual([
      expect.closeTo(1.5, 1),
      expect.closeTo(1.5, 1),
    ]);
  });

  it('are separate for each plan, the latest one first', () => {
    const other = storedRuns(2, 1, 3).map((run) => ({ ...run, planHash: 'b'.repeat(64) }));
    const trends = trendsOf([...storedRuns(2, 1), ...other], drawFor);
    expect(trends.map((trend) => [trend.planHash[0], trend.runs.length])).toStrictEqual([
      ['b', 2],
      [expect.any(String), 2],
    ]);
  });

  it('exclude a run from the metrics that it lacks', () => {
    const [first, ...others] = storedRuns(3, 1);
    const [trend] = trendsOf([{ ...first!, figures: [] }, ...others], drawFor);
    expect(trend!.figures[0]!.points.map(({ run }) => run)).toStrictEqual([2, 3]);
  });
});
