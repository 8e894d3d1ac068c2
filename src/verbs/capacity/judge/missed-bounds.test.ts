import { describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { sampleObjective } from '../../../model/plan/sample-objective.fixture.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { sampleVerdict } from '../../../report/fixtures/sample-verdict.fixture.ts';
import { defaultMisses, missOfObjective } from './missed-shares.ts';
import { asksForLatency, criteriaTexts, objectiveBreaches, samplesFor } from './step-objectives.ts';

const everywhere = () => true;
const rateOf = (...[changes]: Parameters<typeof sampleObjective>) =>
  sampleObjective({ figure: { kind: 'share', name: 'errorRate' }, bound: 5, ...changes });
const found = { observed: 2, n: 400, low: 1, high: 4, effective: 90 };

/** A result of chats that took 1 to 100 ms each, of which so many failed. */
const timed = (failed: number) => {
  const endToEnd = emptyHistogram(3);
  for (let i = 1; i <= 100; i += 1) endToEnd.record(i);
  const outcomes = { ...emptyOutcomeCounts(), completed: 100, broken: failed };
  const group = sampleGroup(100 + failed, {
    outcomes,
    distributions: { endToEnd: endToEnd.toJSON() },
  });
  return { outcomes, result: healthyResult({ groups: [group] }), stage: group.labels.stage };
};

describe('the miss of an objective on a share', () => {
  const missOf = (
    objective: ReturnType<typeof rateOf>,
    changes: Parameters<typeof sampleVerdict>[0] = {},
  ) =>
    missOfObjective(
      timed(0).result,
      objective,
      sampleVerdict({ ...found, ...changes }),
      everywhere,
    );

  it('is the share that was seen, or what is missing to all', () => {
    expect(missOf(rateOf())).toEqual({ share: 0.02, allowed: 0.05, arrivals: 400, cases: 90 });
    const good = { comparison: '>=', bound: 95 } as const;
    expect(missOf(rateOf(good), { observed: 97 })).toEqual({
      share: expect.closeTo(0.03, 12),
      allowed: expect.closeTo(0.05, 12),
      arrivals: 400,
      cases: 90,
    });
  });

  it('is nothing without arrivals, without a figure, or if none or all may miss', () => {
    expect(missOf(rateOf(), { n: 0 })).toBeNull();
    expect(missOf(rateOf(), { n: null })).toBeNull();
    expect(missOf(rateOf(), { observed: null })).toBeNull();
    expect(missOf(rateOf({ figure: { kind: 'count', name: 'failed' } as never }))).toBeNull();
    expect([0.04, 0.05, 99.95, 99.96].map((bound) => missOf(rateOf({ bound })) !== null)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('is worth at least one case, and at most its arrivals', () => {
    const cases = (changes: Parameters<typeof sampleVerdict>[0]) =>
      missOf(rateOf(), changes)?.cases;
    expect(cases({ effective: 0.5 })).toBe(1);
    expect(cases({ effective: 500 })).toBe(400);
    expect(cases({ effective: undefined })).toBe(400);
    // One end of an interval is enough.
    expect([cases({ low: null }), cases({ high: null })]).toEqual([90, 90]);
    expect(cases({ low: null, high: null })).toBe(30);
  });
});

describe('the miss of an objective on a percentile', () => {
  const missOf = (
    changes: Parameters<typeof sampleObjective>[0],
    verdict: Parameters<typeof sampleVerdict>[0] = {},
    failed = 0,
  ) =>
    missOfObjective(
      timed(failed).result,
      sampleObjective({ bound: 90, ...changes }),
      sampleVerdict({ ...found, observed: 95, n: 100, ...verdict }),
      everywhere,
    );

  it('is of the answers beyond the bound and of those that failed', () => {
    expect(missOf({})).toEqual({
      share: 0.1,
      allowed: expect.closeTo(0.05, 12),
      arrivals: 100,
      cases: 90,
    });
    expect(missOf({}, {}, 25)).toMatchObject({ share: 35 / 125, arrivals: 125 });
    const lower = {
      comparison: '>',
      bound: 20,
      figure: { kind: 'measure', name: 'endToEnd', statistic: 0.1 },
    } as const;
    expect(missOf(lower, {}, 25)).toMatchObject({ share: 20 / 125, allowed: 0.1, arrivals: 125 });
  });

  it('is within the bounds of the error of measurement', () => {
    expect(missOf({}, { error: { low: 90, high: 95 } })).toMatchObject({
      share: 0.1,
      error: { low: 0.05, high: 0.1 },
    });
    expect(missOf({}, { error: { low: 95, high: 105 } })).toMatchObject({
      error: { low: 0.1, high: 0.2 },
    });
    expect(missOf({}, { error: { low: 95, high: null } })).toMatchObject({
      error: { low: 0.1, high: 1 },
    });
    expect(missOf({}, { error: { low: 95, high: 95 } })).not.toHaveProperty('error');
    expect(missOf({}, { observed: null, error: { low: 0, high: 500 } })).not.toHaveProperty(
      'error',
    );
  });

  it('is nothing for a mean, and for other requests', () => {
    expect(missOf({ figure: { kind: 'measure', name: 'endToEnd', statistic: 'mean' } })).toBeNull();
    expect(missOf({ scope: { ...sampleObjective().scope, model: 'other' } })).toBeNull();
    expect(missOf({ scope: { ...sampleObjective().scope, stages: ['other'] } })).not.toBeNull();
  });
});

it('the misses without objectives are those that were not good, and those that failed', () => {
  const { result, outcomes } = timed(25);
  const misses = defaultMisses(result, everywhere, 80, outcomes, { missed: 0.05, failed: 0.01 });
  expect(misses).toMatchObject([
    { share: 45 / 125, allowed: 0.05, arrivals: 125 },
    { share: 25 / 125, allowed: 0.01, arrivals: 125 },
  ]);
});

describe('a step by its objectives', () => {
  const breachesOf = (
    failed: number,
    objectives: readonly ReturnType<typeof rateOf>[],
    changes = {},
  ) => {
    const { result, outcomes, stage } = timed(failed);
    const plan = samplePlan({ objectives: [...objectives], ...changes });
    return objectiveBreaches({ ...result, plan }, stage, outcomes);
  };

  it('says all of what it kept, broke, and could not decide', () => {
    const objectives = [
      sampleObjective({ text: 'kept', bound: 200 }),
      sampleObjective({ text: 'broken', bound: 50 }),
      rateOf({ text: 'failing', bound: 1 }),
      sampleObjective({ text: 'warned', bound: 1, severity: 'warn' }),
      sampleObjective({ text: 'counted', figure: { kind: 'count', name: 'failed' } as never }),
    ];
    expect(breachesOf(4, objectives)).toMatchSnapshot('kept and broken');
    expect(breachesOf(0, objectives.slice(0, 1))).toMatchObject({ breaches: [], undecided: false });
    expect(breachesOf(0, [sampleObjective({ minSamples: 101 })])).toMatchSnapshot('too few');
    expect(breachesOf(0, [])).toMatchSnapshot('without objectives');
  });

  it('has no goodput without arrivals', () => {
    const { result, stage } = timed(0);
    const none = objectiveBreaches({ ...result, groups: [] }, stage, emptyOutcomeCounts());
    expect(none).toMatchObject({ goodput: 0, breaches: [], sure: false, undecided: false });
    expect(none.misses).toEqual([null, null]);
  });

  it.each([
    [{ limited: 3, dropped: 3, broken: 3 }, 'refusals'],
    [{ limited: 2, dropped: 3, broken: 3 }, 'concurrency'],
    [{ limited: 3, dropped: 2, broken: 4 }, 'failures'],
    [{ limited: 3, dropped: 4 }, 'concurrency'],
    [{}, 'latency'],
  ])('whose failures are %o is bound by %s', (failures, bound) => {
    const { result, stage } = timed(0);
    const outcomes = { ...emptyOutcomeCounts(), completed: 50, ...failures };
    const groups = result.groups.map((each) => ({ ...each, good: { all: 10 } as never }));
    const plan = samplePlan({ perRequest: [{}] as never });
    const { breaches, goodput } = objectiveBreaches({ ...result, groups, plan }, stage, outcomes);
    expect(breaches.map((each) => each.bound)).toEqual([bound]);
    expect(goodput).toBeCloseTo(10 / Object.values(outcomes).reduce((a, b) => a + b), 12);
  });
});

it('a plan asks for latency if it has objectives that a search can choose by', () => {
  const plan = (...objectives: readonly ReturnType<typeof rateOf>[]) =>
    ({ objectives, perRequest: [] }) as never;
  expect(asksForLatency(plan())).toBe(false);
  expect(asksForLatency(plan(rateOf()))).toBe(true);
  expect(asksForLatency(plan(rateOf({ severity: 'warn' })))).toBe(false);
  expect(asksForLatency({ objectives: [], perRequest: [{}] } as never)).toBe(true);
});

it('the criteria of a search are named', () => {
  expect(criteriaTexts(samplePlan())).toEqual([
    'no growth of requests in flight',
    'goodput >= 95 % (completed answers), and not certainly more than 1 % failed',
  ]);
  const perRequest = [{ text: 'a' }, { text: 'b' }] as never;
  expect(criteriaTexts(samplePlan({ perRequest }))[1]).toContain('(a, b)');
  expect(
    criteriaTexts(samplePlan({ perRequest, objectives: [rateOf({ text: 'few fail' })] })),
  ).toEqual(['no growth of requests in flight', 'few fail']);
});

it('the arrivals that objectives need are a tenth more, for the share of their traffic', () => {
  const scope = { ...sampleObjective().scope, traffic: 'chat' as const };
  const need = (...objectives: readonly ReturnType<typeof rateOf>[]) =>
    samplesFor(samplePlan({ objectives: [...objectives] }));
  expect(need()).toBe(0);
  expect(need(rateOf({ minSamples: 100 }))).toBe(111);
  expect(need(rateOf({ minSamples: 100 }), rateOf({ minSamples: 100, scope }))).toBe(221);
  expect(need(rateOf({ minSamples: 100, scope: { ...scope, traffic: 'models' } }))).toBe(0);
});
