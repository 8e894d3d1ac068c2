import { array, assert, constantFrom, property, record, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyOutcomeCounts, emptySecond } from '../../../model/measures/outcome-counts.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { Result } from '../../../model/result/result.ts';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { judgePoint, judgeRun, type JudgedRun } from './judge-point.ts';
import { judgeSweep } from './judge-sweep.ts';
import { figureNames } from './swept-figures.ts';

const plan = samplePlan();

/** What so many requests became, of which some completed. */
const groupOf = (completed: number, refused: number, warmUp = false): Result['groups'][number] =>
  sampleGroup(completed + refused, {
    labels: { traffic: 'chat', model: 'm', key: 'main', stage: 'steady', warmUp },
    outcomes: { ...emptyOutcomeCounts(), completed, refused },
  });

/** A run with these figures. */
const judgedRun = (
  figures: Readonly<Record<string, number>>,
  changes: Partial<JudgedRun> & { readonly excludedBecause?: string } = {},
): JudgedRun => ({
  run: {
    folder: 'runs/01-1',
    order: 1,
    startedAt: '2026-07-01T10:20:30.000Z',
    trust: 'valid',
    excludedBecause: changes.excludedBecause ?? null,
    figures,
  },
  weak: changes.weak ?? new Set(),
  broken: changes.broken ?? [],
  undecided: changes.undecided ?? [],
});

const pointWith = (value: string, ...runs: readonly JudgedRun[]) => ({
  values: [value],
  runs,
  problems: [],
});

const variable = (values: readonly string[], isLoad = false) => ({
  path: isLoad ? 'load.users' : 'model',
  values: [...values],
  isLoad,
});

const judged = (points: readonly ReturnType<typeof pointWith>[], isLoad = false) =>
  judgeSweep(
    {
      variables: [
        variable(
          points.map(({ values }) => values[0]!),
          isLoad,
        ),
      ],
      points,
      throughput: 'completedRate',
      latency: 'endToEnd.p50',
    },
    plan,
  );

describe('the Pareto front', () => {
  const outcome = constantFrom('kept', 'broken', 'undecided', 'excluded');
  const sample = record({
    x: integer({ min: 1, max: 6 }),
    y: integer({ min: 1, max: 6 }),
    outcome,
  });

  it('has exactly the kept points that no kept point dominates, where all points surely differ', () => {
    assert(
      property(array(sample, { minLength: 1, maxLength: 12 }), (samples) => {
        const points = samples.map(({ x, y, outcome: how }, i) => {
          const figures = { completedRate: x, 'endToEnd.p50': 100 * y };
          const changes = {
            ...(how === 'broken' ? { broken: ['errorRate < 1%'] } : {}),
            ...(how === 'undecided' ? { undecided: ['ttft.p95 < 1s'] } : {}),
            ...(how === 'excluded' ? { excludedBecause: 'INVALID' } : {}),
          };
          return pointWith(String(i), judgedRun(figures, changes));
        });
        const { points: found } = judged(points);
        for (const [i, { x, y, outcome: how }] of samples.entries()) {
          const isDominated = samples.some(
            (other) =>
              other.outcome === 'kept' &&
              ((other.x > x && other.y <= y) || (other.x >= x && other.y < y)),
          );
          expect(found[i]!.verdict).toBe(how);
          expect(found[i]!.isOnFront).toBe(how === 'kept' && !isDominated);
        }
      }),
    );
  });

  it('takes no point for better whose figures could be those of another run of the same point', () => {
    const frontOf = (...places: readonly (readonly [number, number])[]) =>
      judged(
        places.map(([rate, latency], i) =>
          pointWith(String(i), judgedRun({ completedRate: rate, 'endToEnd.p50': latency })),
        ),
      ).points.map(({ isOnFront }) => isOnFront);
    // The first is faster by 1 ms only, and the third has 1 % less.
    expect(frontOf([34, 202], [276, 203], [273, 205])).toEqual([false, true, true]);
    expect(frontOf([34, 150], [276, 203], [200, 205])).toEqual([true, true, false]);
  });

  it('takes points with several runs for equal whose runs overlap', () => {
    const runs = (...rates: readonly number[]) =>
      rates.map((rate) => judgedRun({ completedRate: rate, 'endToEnd.p50': 100 }));
    const { points } = judged([pointWith('a', ...runs(10, 20)), pointWith('b', ...runs(19, 30))]);
    expect(points.map(({ isOnFront }) => isOnFront)).toEqual([true, true]);
  });

  it('never has a point whose runs do not count, however good it looks', () => {
    const { points } = judged([
      pointWith('a', judgedRun({ completedRate: 1, 'endToEnd.p50': 100 })),
      pointWith(
        'b',
        judgedRun({ completedRate: 9, 'endToEnd.p50': 1 }, { excludedBecause: 'INVALID' }),
      ),
      pointWith('c'),
    ]);
    expect(points.map(({ isOnFront }) => isOnFront)).toEqual([true, false, false]);
    expect(points.map(({ verdict }) => verdict)).toEqual(['kept', 'excluded', 'missing']);
    expect(points[1]!.figures).toEqual({});
  });
});

describe('the latency of a sweep that names none', () => {
  const weakOf = (...names: readonly string[]) => ({ weak: new Set(names) });
  const latencyOf = (...runs: readonly JudgedRun[]) =>
    judgeSweep(
      {
        variables: [variable(runs.map((_, i) => String(i)))],
        points: runs.map((run, i) => pointWith(String(i), run)),
        throughput: 'completedRate',
        latency: null,
      },
      plan,
    ).latency.name;
  const known = { completedRate: 1, 'ttft.p95': 9, 'ttft.p50': 5 };

  it('is the p95 where each usable point has enough samples for it, and else the p50', () => {
    expect(latencyOf(judgedRun(known), judgedRun(known))).toBe('ttft.p95');
    expect(latencyOf(judgedRun(known), judgedRun(known, weakOf('ttft.p95')))).toBe('ttft.p50');
    expect(latencyOf(judgedRun(known), judgedRun({ completedRate: 1, 'ttft.p50': 5 }))).toBe(
      'ttft.p50',
    );
    // A point whose runs do not count has no figures, and decides nothing.
    const excluded = judgedRun(known, { excludedBecause: 'INVALID', ...weakOf('ttft.p95') });
    expect(latencyOf(judgedRun(known), excluded)).toBe('ttft.p95');
  });

  it('is the last that any point has where none has enough samples', () => {
    const weak = weakOf('ttft.p95', 'ttft.p50');
    expect(latencyOf(judgedRun(known, weak))).toBe('ttft.p50');
    expect(latencyOf(judgedRun({ completedRate: 1, 'ttft.p95': 9 }, weak))).toBe('ttft.p95');
    expect(latencyOf(judgedRun({ completedRate: 1 }))).toBe('ttft.p50');
    expect(latencyOf()).toBe('ttft.p50');
  });
});

describe('a point', () => {
  it('has the mean of the runs that count with its range, and says what was wrong with the others', () => {
    const point = judgePoint(
      pointWith(
        'a',
        judgedRun({ completedRate: 10 }),
        judgedRun({ completedRate: 14 }, { weak: new Set(['completedRate']) }),
        judgedRun({ completedRate: 99 }, { excludedBecause: 'INVALID (start lag)' }),
      ),
    );
    expect(point.figures).toEqual({
      completedRate: { value: 12, low: 10, high: 14, isWeak: true },
    });
    expect(point).toMatchObject({
      verdict: 'kept',
      reasons: ['1 of 3 runs not counted: INVALID (start lag)'],
    });
  });

  it('that could not be run is excluded, with the reason', () => {
    const point = { values: ['a'], runs: [], problems: ['the target cannot be reached'] };
    expect(judgePoint(point)).toMatchObject({
      verdict: 'excluded',
      reasons: ['the target cannot be reached'],
    });
  });
});

describe('a run of a sweep', () => {
  const names = figureNames(['headers.p90']);
  const judgedFrom = (changes: Partial<Result>, level: 'valid' | 'invalid' = 'valid') => {
    const result = healthyResult(changes);
    const trust = { level, evidence: [], figures: [] };
    return judgeRun({ folder: 'runs/01-1', order: 1, result, trust }, names);
  };

  it('is excluded if the generator was invalid, it did not end, nothing succeeded, or nothing was due after the warm-up', () => {
    expect(judgedFrom({}, 'invalid').run.excludedBecause).toContain('load not as planned');
    expect(judgedFrom({ partial: 'stopped by SIGINT' }).run.excludedBecause).toBe(
      'stopped by SIGINT',
    );
    const reasonOf = (...groups: Result['groups']) => judgedFrom({ groups }).run.excludedBecause;
    expect(reasonOf(groupOf(0, 5))).toBe('nothing succeeded');
    expect(reasonOf(groupOf(5, 0, true))).toBe('no request was due after the warm-up');
    expect(reasonOf(groupOf(1, 5))).toBeNull();
  });

  it.each([
    [95, 5, []],
    [949, 51, ['completed 94.9 %, below 95 %']],
  ])(
    'without objectives needs 95 %% completed: %i of them beside %i refused',
    (completed, refused, broken) => {
      const unjudged = samplePlan({ objectives: [], perRequest: [] });
      const groups = [groupOf(completed, refused), groupOf(0, 1000, true)];
      expect(judgedFrom({ plan: unjudged, groups }).broken).toEqual(broken);
    },
  );

  it('has rates over the measured seconds, and none of what its requests do not have', () => {
    const timeline = Array.from({ length: 31 }, (_, second) => ({
      ...emptySecond(second),
      latency: {},
      due: second < 10 ? 99 : 8,
      completed: { chat: second < 10 ? 0 : 6 },
      outputTokens: second === 20 ? 400 : 0,
    }));
    const warmed = samplePlan({ warmUp: milliseconds(10_000) });
    const sums = {
      source: 'usage',
      answers: 1,
      answersWithInput: 0,
      input: 0,
      output: 400,
    } as const;
    const figuresOf = (group: Result['groups'][number]) =>
      judgedFrom({ plan: warmed, timeline, groups: [group] }).run.figures;
    expect(figuresOf(groupOf(6, 0))).toEqual({ offeredRate: 8, completedRate: 6 });
    expect(figuresOf({ ...groupOf(6, 0), tokens: [sums] })).toMatchObject({ outputTokenRate: 20 });
  });
});

describe('the curve of a load', () => {
  /** X(N) = N / (0.1 + 0.01 N). */
  const runAt = (users: number) => {
    const rate = users / (0.1 + 0.01 * users);
    return judgedRun({
      offeredRate: rate,
      completedRate: rate,
      inFlight: users,
      steadyMean: (users / rate) * 1000,
      'endToEnd.p50': (users / rate) * 1000,
    });
  };

  it('has the knee of the law that its runs follow', () => {
    const { curves } = judged(
      [1, 5, 10, 20].map((users) => pointWith(String(users), runAt(users))),
      true,
    );
    expect(curves).toHaveLength(1);
    expect(curves[0]!.fit!.knee!.inFlight).toBeCloseTo(10, 0);
    expect(curves[0]!.fit!.knee!.rate).toBeCloseTo(50, 0);
  });

  it.each([
    [0.9, 4],
    [0.89, 3],
  ])('counts a load of which %d was completed as one of %i', (share, count) => {
    const points = [1, 5, 10].map((users) => pointWith(String(users), runAt(users)));
    const { run } = runAt(20);
    const offeredRate = run.figures['completedRate']! / share;
    const late = judgedRun({ ...run.figures, offeredRate });
    const { curves } = judged([...points, pointWith('20', late)], true);
    expect(curves[0]!.fit!.points).toBe(count);
  });

  it('leaves out loads that the gateway did not keep up with', () => {
    const overloaded = judgedRun({
      offeredRate: 500,
      completedRate: 60,
      inFlight: 3600,
      steadyMean: 60_000,
      'endToEnd.p50': 60_000,
    });
    const points = [1, 5, 10, 20].map((users) => pointWith(String(users), runAt(users)));
    const { curves } = judged([...points, pointWith('99', overloaded)], true);
    expect(curves[0]!.fit!.points).toBe(4);
  });

  it('exists only where the load is varied', () => {
    expect(judged([pointWith('a', runAt(1))]).curves).toEqual([]);
  });
});
