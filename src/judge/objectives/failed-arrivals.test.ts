import { describe, expect, it } from 'vitest';
import type { Group } from '../../model/measures/counts.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Objective } from '../../model/plan/objective.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import { toLedgerEntry, toLedgerRow } from '../../model/observation/ledger.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { infiniteFigure, objectiveVerdictSchema } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, outsideWarmUp } from '../../model/result/summary.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { judgeObjectives } from './judge-objectives.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

const text = 'endToEnd.p95 < 300ms';

const distributionOf = (samples: readonly number[], digits: 2 | 3 = 3) => {
  const histogram = emptyHistogram(digits);
  histogram.recordAll(samples);
  return histogram.toJSON();
};

/** Completed requests with these times, and as many failed ones as named. */
const arrivals = (
  samples: readonly number[],
  failed: Partial<Group['outcomes']>,
  { measure = 'endToEnd', ...labels }: Partial<Group['labels']> & { measure?: MeasureName } = {},
): Group =>
  sampleGroup(samples.length, {
    labels: { ...streamLabels, ...labels },
    outcomes: { ...emptyOutcomeCounts(), completed: samples.length, ...failed },
    distributions: { [measure]: distributionOf(samples) },
  });

const times = (count: number, of: (i: number) => number = () => 144): number[] =>
  Array.from({ length: count }, (_, i) => of(i));

const judged = (
  groups: readonly Group[],
  held: Partial<Objective> = {},
  differing: Partial<Result> = {},
) => {
  const objective: Objective = sampleObjective({
    text,
    ...held,
  });
  const plan = samplePlan({ warmUp: milliseconds(0), objectives: [objective] });
  const result = healthyResult({ plan, groups: [...groups], ...differing });
  return judgeObjectives(result, { level: 'valid', evidence: [], figures: [] })[0]!;
};

const percentile = (name: MeasureName, statistic: number): Partial<Objective> => ({
  figure: { kind: 'measure', name, statistic },
});

/** Twenty seconds, in each of which 50 requests were due and `completed` of them took 144 ms. */
const steady = (completed: number): Partial<Result> => ({
  scheduled: milliseconds(20_000),
  timeline: Array.from({ length: 20 }, (_, second) => ({
    ...emptySecond(second),
    due: 50,
    latency: { 'chat-stream': { endToEnd: distributionOf(times(completed), 2) } },
  })),
});

describe('a percentile over arrivals of which some failed', () => {
  it('is infinite if a deadline cut off 30 % of the answers', () => {
    const verdict = judged([arrivals(times(700), { broken: 300 })], {}, steady(35));
    expect(verdict).toMatchObject({
      ruling: 'fail',
      grounds: 'broken',
      observed: null,
      n: 1000,
      high: null,
      sure: true,
    });
    expect(objectiveVerdictSchema.parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
  });

  it('is surely infinite if nearly all failed, and only three seconds had answers', () => {
    const timeline = Array.from({ length: 20 }, (_, second) => ({
      ...emptySecond(second),
      due: 50,
      latency: second < 3 ? { 'chat-stream': { endToEnd: distributionOf(times(16), 2) } } : {},
    }));
    const groups = [arrivals(times(48), { limited: 952 })];
    const run = { timeline, scheduled: milliseconds(20_000) };
    expect(judged(groups, {}, run)).toMatchObject({
      grounds: 'broken',
      observed: null,
      sure: true,
    });
  });

  it('is infinite if half of the requests were unfinished at the end', () => {
    const half = [arrivals(times(500), { broken: 500 })];
    expect(judged(half)).toMatchObject({ grounds: 'broken', observed: null });
    const median = percentile('endToEnd', 0.5);
    expect(judged(half, median)).toMatchObject({ grounds: 'kept', observed: 144 });
  });

  it('is infinite by the number of arrivals, however much the times depend on each other', () => {
    const queue = Array.from({ length: 20 }, (_, second) => ({
      ...emptySecond(second),
      due: 50,
      latency: {
        'chat-stream': {
          endToEnd: distributionOf(
            times(35, (i) => 10 * second + i),
            2,
          ),
        },
      },
    }));
    const groups = [
      arrivals(
        times(700, (i) => 10 * Math.floor(i / 35) + (i % 35)),
        { broken: 300 },
      ),
    ];
    expect(judged(groups, { minSamples: 200 }, { ...steady(35), timeline: queue })).toMatchObject({
      grounds: 'broken',
      observed: null,
    });
  });

  it('is a higher percentile of the completed ones if fewer failed', () => {
    const some = arrivals(
      times(960, (i) => i + 1),
      { refused: 20, dropped: 10, limited: 5, malformed: 5 },
    );
    // Rank 950 of 1,000 arrivals; without the failures it would be rank 912 of 960.
    expect(judged([some])).toMatchObject({ observed: expect.closeTo(950, 0), n: 1000 });
  });

  it('has an interval by the ranks of all arrivals', () => {
    const cut = [arrivals(times(960), { broken: 40 })];
    // Up to 4.9 % of 1,000 may fail by chance where 3.5 % do: 40 failures can be more than 5 %.
    expect(judged(cut, {}, steady(48))).toMatchObject({ grounds: 'kept', high: null, sure: false });
    const all = [arrivals(times(1000), {})];
    expect(judged(all, {}, steady(50))).toMatchObject({ grounds: 'kept', high: 144, sure: true });
  });

  it('counts failures that come together as fewer independent ones', () => {
    const groups = [arrivals(times(900), { broken: 100 })];
    const outage = steady(50).timeline!.map((second) =>
      second.second < 18 ? second : { ...second, latency: {} },
    );
    const limits = (timeline: Result['timeline']) =>
      judged(groups, percentile('endToEnd', 0.88), { ...steady(45), timeline });
    expect(limits(steady(45).timeline!)).toMatchObject({ low: 144, sure: false });
    expect(judged(groups, percentile('endToEnd', 0.8), steady(45))).toMatchObject({ sure: true });
    expect(
      judged(groups, percentile('endToEnd', 0.8), { ...steady(45), timeline: outage }),
    ).toMatchObject({ sure: false });
  });

  it('is broken, and not without data, if nothing completed', () => {
    const nothing = [arrivals([], { broken: 20 })];
    expect(judged(nothing)).toMatchObject({ grounds: 'broken', observed: null, n: 20 });
    expect(judged(nothing, { minSamples: 21 })).toMatchObject({ grounds: 'no-data' });
    expect(judged([arrivals([], {})])).toMatchObject({ grounds: 'no-data', observed: null, n: 0 });
  });

  it('counts failures only of the kinds of traffic that the measure is of', () => {
    const stream = arrivals(times(100), {}, { measure: 'ttft' });
    const models = arrivals([], { broken: 50 }, { traffic: 'models', model: null });
    expect(judged([stream, models], percentile('ttft', 0.95))).toMatchObject({ n: 100 });
    expect(judged([models], percentile('endToEnd', 0.95)).n).toBe(50);
  });

  it('leaves out as large a part of the failed as of the completed ones that have no sample', () => {
    const stream = arrivals(times(450), { broken: 100 }, { measure: 'firstVisible' });
    const outcomes = { ...stream.outcomes, completed: 900 };
    expect(judged([{ ...stream, outcomes }], percentile('firstVisible', 0.9))).toMatchObject({
      observed: 144,
      n: 500,
    });
  });

  it('has no failures where a request has several samples or need not have one', () => {
    for (const measure of ['gap', 'connect', 'retryWait', 'paceWait'] as const) {
      const group = arrivals(times(100), { broken: 100 }, { measure });
      expect(judged([group], percentile(measure, 0.95))).toMatchObject({ observed: 144, n: 100 });
    }
  });

  it('has no failures in a stopped run, whose end cuts requests off', () => {
    const groups = [arrivals(times(700), { broken: 300 })];
    expect(judged(groups, {}, { partial: 'stopped by a signal' })).toMatchObject({
      grounds: 'partial',
      observed: 144,
      n: 700,
    });
  });

  it('is infinite in the verdict if it ended the run', () => {
    const breach = { text, at: instant(5000), observed: infiniteFigure };
    const groups = [arrivals(times(700), { broken: 300 })];
    expect(judged(groups, {}, { partial: 'ended', breach })).toMatchObject({
      grounds: 'aborted',
      observed: null,
      n: 700,
    });
  });
});

describe('a percentile in a table, which is of completed requests', () => {
  const shareAt = (samples: readonly number[], failed: number, q: number) => {
    const groups = [arrivals(samples, { refused: failed })];
    const plan = samplePlan({ warmUp: milliseconds(0) });
    const result = healthyResult({ plan, groups, ...steady(50) });
    return figuresOver(result, 'endToEnd', outsideWarmUp).percentile(q)?.ofShare;
  };
  const rising = times(700, (i) => 100 + i);

  it('is marked if failures would move it out of its interval, or make it infinite', () => {
    expect(shareAt(rising, 300, 0.5)).toBe(0.7);
    expect(shareAt(rising, 300, 0.95)).toBe(0.7);
  });

  it('is not marked if failures are too few to move it, or all answers took the same time', () => {
    expect(shareAt(rising, 7, 0.5)).toBeUndefined();
    expect(shareAt(rising, 0, 0.95)).toBeUndefined();
    expect(shareAt(times(700), 300, 0.5)).toBeUndefined();
  });
});

describe('an objective that failures leave without a sure upper end', () => {
  it('names them, and not one whose failures are too few for that', () => {
    const few = judged([arrivals(times(960), { refused: 40 })], {}, steady(48));
    expect(few).toMatchObject({ grounds: 'kept', sure: false, failed: 40 });
    expect(objectiveVerdictSchema.parse(few)).toEqual(few);
    // Where the bound lies below, the failures are not what leaves it unsure.
    const above = judged(
      [arrivals(times(960), { refused: 40 })],
      { comparison: '>', bound: 100 },
      steady(48),
    );
    expect(above).toMatchObject({ grounds: 'kept', high: few.high });
    expect(above).not.toHaveProperty('failed');
    expect(judged([arrivals(times(999), { refused: 1 })], {}, steady(50))).not.toHaveProperty(
      'failed',
    );
  });
});

describe('a stream that fails after its first token', () => {
  const half: Group = {
    ...arrivals(times(50), { broken: 50 }, { measure: 'ttft' }),
    partials: { ttft: distributionOf(times(50)) },
  };

  it('is as infinite for an objective on the first token as any other failure', () => {
    expect(judged([half], percentile('ttft', 0.95))).toMatchObject({
      grounds: 'broken',
      observed: null,
      n: 100,
    });
    expect(judged([half], percentile('ttft', 0.5))).toMatchObject({ grounds: 'kept', n: 100 });
  });

  it('counts in tables, whose percentile is then of all', () => {
    const table = (group: Group) =>
      figuresOver(healthyResult({ groups: [group] }), 'ttft', outsideWarmUp);
    expect([table(half).count, table(half).percentile(0.95)?.ofShare]).toEqual([100, undefined]);
    const { partials: _, ...old } = half;
    expect([table(old).count, table(old).percentile(0.95)?.ofShare]).toEqual([50, 0.5]);
  });
});

describe('429s that a declared limit explains', () => {
  /** Sixty requests that are admitted within 3 s, then as many 429s as named; the limit is 60 a minute. */
  const limited = ({
    early = 0,
    late,
    key = 'main',
  }: {
    readonly early?: number;
    readonly late: number;
    readonly key?: string;
  }): Result['ledger'][number] => {
    const row = (sent: number, status: number) =>
      toLedgerRow({
        sent,
        answered: sent + 5,
        ended: sent + 6,
        status,
        traffic: 'chat-stream',
        tokens: status === 200 ? 10 : null,
        limitRequests: null,
        remainingRequests: null,
        limitTokens: null,
        remainingTokens: null,
        unit: null,
        form: status === 429 ? 'error' : null,
        retryAfter: null,
        resetIn: null,
      });
    const every = (count: number, from: number, status: number) =>
      Array.from({ length: count }, (_, i) => row(from + 50 * i, status));
    const rows = [...every(early, 0, 429), ...every(60, 10, 200), ...every(late, 4000, 429)];
    return { key, rows: rows.toSorted((a, b) => a[0] - b[0]), left: 0 };
  };
  const excluding: Partial<Objective> = { quota: 'excluded' };
  const run = [arrivals(times(60), { limited: 40 })];

  it('fail a percentile unless the objective leaves them out', () => {
    const ledger = [limited({ late: 40 })];
    expect(judged(run, {}, { ledger })).toMatchObject({
      grounds: 'broken',
      observed: null,
      n: 100,
    });
    expect(judged(run, {}, { ledger })).not.toHaveProperty('excluded');
    expect(judged(run, excluding, { ledger })).toMatchObject({
      grounds: 'kept',
      observed: 144,
      n: 60,
      excluded: 40,
    });
    expect(judged(run, { ...excluding, bound: 100 }, { ledger })).toMatchObject({
      grounds: 'broken',
      observed: 144,
    });
  });

  it('are left out only if the limit was used up: all other 429s stay infinite', () => {
    const ledger = [limited({ early: 10, late: 30 })];
    expect(judged(run, excluding, { ledger })).toMatchObject({
      grounds: 'broken',
      observed: null,
      n: 70,
      excluded: 30,
    });
    const errors: Partial<Objective> = {
      ...excluding,
      figure: { kind: 'share', name: 'errorRate' },
      bound: 10,
    };
    const { observed, n } = judged(run, errors, { ledger });
    expect([observed, n]).toEqual([(10 / 70) * 100, 70]);
  });

  it('are left out of shares and counts', () => {
    const ledger = [limited({ late: 30 })];
    const groups = [arrivals(times(60), { limited: 30, broken: 10 })];
    const of = (figure: Objective['figure']) =>
      judged(groups, { ...excluding, figure }, { ledger }).observed;
    expect(of({ kind: 'share', name: 'errorRate' })).toBeCloseTo(100 / 7);
    expect(of({ kind: 'share', name: 'faultRate' })).toBeCloseTo(100 / 7);
    expect(of({ kind: 'share', name: 'limitedRate' })).toBe(0);
    expect(of({ kind: 'count', name: 'failed' })).toBe(10);
    expect(of({ kind: 'count', name: 'limited' })).toBe(0);
  });

  it('are left out of what the client did not hang up on by their share', () => {
    const ledger = [limited({ early: 10, late: 30 })];
    const outcomes = { ...emptyOutcomeCounts(), limited: 6 };
    const [group] = run;
    const hangUps = { outcomes, headers: 0, tokenEvents: 0, bytes: 0, time: 0 };
    // A quarter of the other 34 remains, rounded.
    expect(judged([{ ...group!, hangUps }], excluding, { ledger })).toMatchObject({ n: 69 });
  });

  it('of one model are as few as is possible, since the ledger names no model', () => {
    const ledger = [limited({ early: 10, late: 30 })];
    const groups = [
      arrivals(times(30), { limited: 25 }, { model: 'a' }),
      arrivals(times(30), { limited: 15 }, { model: 'b' }),
    ];
    const scope = { traffic: null, model: 'a', key: null, stages: null };
    expect(judged(groups, { ...excluding, scope }, { ledger }).excluded).toBe(15);
    expect(judged(groups, excluding, { ledger }).excluded).toBe(30);
  });

  it('are those of its key', () => {
    const ledger = [limited({ late: 30 }), limited({ late: 0, early: 10, key: 'other' })];
    const groups = [
      arrivals(times(60), { limited: 30 }),
      arrivals(times(60), { limited: 10 }, { key: 'other' }),
    ];
    const scope = { traffic: null, model: null, stages: null };
    const of = (key: string | null) =>
      judged(groups, { ...excluding, scope: { ...scope, key } }, { ledger }).excluded;
    expect([of('main'), of('other'), of(null)]).toEqual([30, 0, 30]);
  });

  it('all count if the ledger was too small to know them', () => {
    const ledger = [{ ...limited({ late: 40 }), left: 1 }];
    expect(judged(run, excluding, { ledger })).toMatchObject({
      grounds: 'broken',
      n: 100,
      excluded: null,
    });
  });

  it('do not make the others seem to depend on each other', () => {
    const timeline = Array.from({ length: 20 }, (_, second) => ({
      ...emptySecond(second),
      due: 5,
      outcomes: {
        ...emptyOutcomeCounts(),
        completed: second < 12 ? 5 : 0,
        limited: second < 12 ? 0 : 5,
      },
      latency: second < 12 ? { 'chat-stream': { endToEnd: distributionOf(times(5), 2) } } : {},
    }));
    const late = limited({ late: 0 }).rows;
    const refusals = Array.from({ length: 40 }, (_, i) =>
      toLedgerRow({
        ...toLedgerEntry(late[0]!),
        sent: 12_000 + 200 * i,
        answered: 12_001 + 200 * i,
        ended: 12_002 + 200 * i,
        status: 429,
      }),
    );
    const ledger = [{ key: 'main', rows: [...late, ...refusals], left: 0 }];
    const errors: Partial<Objective> = { figure: { kind: 'share', name: 'errorRate' }, bound: 10 };
    const wide = judged(run, errors, { ledger, timeline, scheduled: milliseconds(20_000) });
    const narrow = judged(
      run,
      { ...errors, ...excluding },
      { ledger, timeline, scheduled: milliseconds(20_000) },
    );
    expect(wide.effective).toBeLessThan(20);
    expect(narrow.effective).toBe(60);
  });
});
