import { describe, expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { judgeRun, type JudgedRun } from './judge-point.ts';
import { judgeSweep } from './judge-sweep.ts';

const runWith = (
  figures: Readonly<Record<string, number>>,
  excludedBecause: string | null = null,
): JudgedRun => ({
  run: {
    folder: 'runs/01-1',
    order: 1,
    startedAt: '2026-07-01T10:20:30.000Z',
    trust: 'valid',
    excludedBecause,
    figures,
  },
  weak: new Set(),
  broken: [],
  undecided: [],
});

/** The plan of the sample with traffic of these kinds, in one stage each. */
const planOf = (...kinds: readonly string[]): Plan => {
  const plan = samplePlan();
  const [stage] = plan.stages;
  const [entry] = stage!.traffic;
  return {
    ...plan,
    stages: kinds.map((kind) => ({ ...stage!, traffic: [{ ...entry!, kind } as never] })),
  };
};

const judged = (plan: Plan, runs: readonly JudgedRun[], given: object = {}) =>
  judgeSweep(
    {
      variables: [{ path: 'load.users', values: runs.map((_, i) => `${i}`), isLoad: true }],
      points: runs.map((run, i) => ({ values: [`${i}`], runs: [run], problems: [] })),
      throughput: null,
      latency: null,
      ...given,
    },
    plan,
  );

describe('the figures of a sweep that names none', () => {
  const both = runWith({ completedRate: 1, outputTokenRate: 5, 'ttft.p95': 9, 'endToEnd.p95': 90 });
  const namesOf = (plan: Plan, ...runs: readonly JudgedRun[]) => {
    const { throughput, latency } = judged(plan, runs);
    return [throughput.name, latency.name];
  };

  it('are tokens a second and the TTFT where all traffic is of chats', () => {
    expect(namesOf(planOf('chat', 'chat-stream'), both)).toEqual(['outputTokenRate', 'ttft.p95']);
    expect(namesOf(planOf('chat'), both)).toEqual(['outputTokenRate', 'endToEnd.p95']);
    expect(namesOf(planOf('chat-stream', 'models'), both)).toEqual(['completedRate', 'ttft.p95']);
    expect(namesOf(planOf('speech'), both)).toEqual(['completedRate', 'endToEnd.p95']);
  });

  it('are completed requests where no point has tokens', () => {
    const none = runWith({ completedRate: 1, 'endToEnd.p95': 90 });
    expect(namesOf(planOf('chat'), none)).toEqual(['completedRate', 'endToEnd.p95']);
    expect(namesOf(planOf('chat'), none, both)[0]).toBe('outputTokenRate');
  });

  it('are what was asked for in their place', () => {
    const given = { throughput: 'inputTokenRate', latency: 'gap.p99' };
    const { throughput, latency } = judged(planOf('chat'), [both], given);
    expect(throughput).toEqual({ name: 'inputTokenRate', label: 'Input tokens', unit: '/s' });
    expect(latency).toMatchObject({ name: 'gap.p99', unit: 'ms' });
  });
});

describe('the runs of a curve', () => {
  const at = (users: number, changes: Readonly<Record<string, number>> = {}) => ({
    offeredRate: 10 * users,
    completedRate: 10 * users,
    inFlight: users,
    steadyMean: 100 + 10 * users,
    ...changes,
  });
  const pointsOf = (last: JudgedRun) =>
    judged(planOf('chat'), [...[1, 5, 10].map((users) => runWith(at(users))), last]).curves[0]!.fit
      ?.points;

  it('are those that count and have what the law needs', () => {
    expect(pointsOf(runWith(at(20)))).toBe(4);
    expect(pointsOf(runWith(at(20), 'not as planned'))).toBe(3);
    for (const name of ['completedRate', 'inFlight', 'steadyMean']) {
      const { [name]: _, ...others } = at(20) as Record<string, number>;
      expect([name, pointsOf(runWith(others))]).toEqual([name, 3]);
    }
    const { offeredRate: _, ...unoffered } = at(20);
    expect(pointsOf(runWith(unoffered))).toBe(4);
  });

  it('have a throughput of requests in flight by their mean time', () => {
    // X(N) = 1000 N / (100 + 10 N) has its greatest slope 10, and its knee where N² = 100 / 10 · 10.
    const { fit } = judged(
      planOf('chat'),
      [1, 5, 10, 20].map((users) => runWith(at(users))),
    ).curves[0]!;
    expect(fit!.knee!.inFlight).toBeCloseTo(10, 0);
    expect(fit!.knee!.rate).toBeCloseTo(50, 0);
  });
});

it('a curve has the points that differ in nothing but the load, under the name of the rest', () => {
  const values = [
    ['a', '1'],
    ['a', '2'],
    ['b', '1'],
    ['b', '2'],
  ];
  const { curves } = judgeSweep(
    {
      variables: [
        { path: 'model', values: ['a', 'b'], isLoad: false },
        { path: 'load.users', values: ['1', '2'], isLoad: true },
      ],
      points: values.map((each) => ({ values: each, runs: [], problems: [] })),
      throughput: 'completedRate',
      latency: 'endToEnd.p50',
    },
    planOf('chat'),
  );
  expect(curves).toEqual([
    { name: 'model=a', points: [0, 1], fit: null },
    { name: 'model=b', points: [2, 3], fit: null },
  ]);
});

it('with criteria for each request, a run needs 95 % of good ones', () => {
  const brokenOf = (good: number | null): readonly string[] => {
    const group = sampleGroup(100, {
      labels: { traffic: 'chat', model: 'm', key: 'main', stage: 'steady', warmUp: false },
      outcomes: { ...emptyOutcomeCounts(), completed: 100 },
      ...(good === null ? {} : { good: { all: good } as never }),
    });
    const plan = samplePlan({ perRequest: [{ text: 'ttft < 1s' } as never] });
    const result = healthyResult({ plan, groups: [group], verdicts: [] });
    const trust = { level: 'valid' as const, evidence: [], figures: [] };
    return judgeRun({ folder: 'f', order: 1, result, trust }, []).broken;
  };
  expect(brokenOf(95)).toEqual([]);
  expect(brokenOf(94)).toEqual(['goodput 94.0 %, below 95 %']);
  expect(brokenOf(null)).toEqual(['goodput 0.0 %, below 95 %']);
});
