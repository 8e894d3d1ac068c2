import type { Group, Labels, TimelineSecond } from '../../model/measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { wilsonInterval } from '../../model/measures/quantile.ts';
import type { ObjectiveFigure, Objective } from '../../model/plan/objective.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import type { TrustLevel } from '../../model/result/verdict.ts';
import { judgeObjectives } from './judge-objectives.ts';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSecond,
  streamLabels,
} from '../sample-result.fixture.ts';

const everything = { traffic: null, model: null, key: null, stages: null };
const ttft = (statistic: 'mean' | 'min' | 'max' | number): ObjectiveFigure => ({
  kind: 'measure',
  name: 'ttft',
  statistic,
});

const objective = (differing: Partial<Objective>): Objective => ({
  text: 'the objective',
  figure: ttft(0.95),
  scope: everything,
  comparison: '<',
  bound: 800,
  minSamples: 1,
  severity: 'fail',
  abortAfter: null,
  ...differing,
});

const group = (
  samples: readonly number[],
  { labels = {}, ...differing }: Partial<Omit<Group, 'labels'>> & { labels?: Partial<Labels> } = {},
): Group => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return sampleGroup(samples.length, {
    labels: { ...streamLabels, ...labels },
    distributions: samples.length === 0 ? {} : { ttft: histogram.toJSON() },
    ...differing,
  });
};

const judged = (
  held: Partial<Objective>,
  groups: readonly Group[],
  {
    level = 'valid',
    isStrict = false,
    ...differing
  }: Partial<Result> & { readonly level?: TrustLevel; readonly isStrict?: boolean } = {},
) => {
  const plan = samplePlan({ warmUp: milliseconds(0), objectives: [objective(held)] });
  const result = healthyResult({ plan, groups: [...groups], ...differing });
  return judgeObjectives(result, { level, evidence: [], figures: [] }, isStrict)[0]!;
};

const timelineOf = (second: number, samples: readonly number[]): TimelineSecond => {
  const histogram = emptyHistogram(2);
  histogram.recordAll(samples);
  return { ...emptySecond(second), latency: { 'chat-stream': { ttft: histogram.toJSON() } } };
};

const to = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe('an objective on a distribution', () => {
  it.each([
    ['p95 of 1 … 200 is 190', ttft(0.95), 190],
    ['its median 100', ttft(0.5), 100],
    ['its mean 100.5', ttft('mean'), 100.5],
    ['its minimum 1', ttft('min'), 1],
    ['its maximum 200', ttft('max'), 200],
  ])('%s', (_, figure, observed) => {
    const seen = judged({ figure }, [group(to(200))]);
    // Histograms keep three digits.
    expect(seen).toMatchObject({ observed: expect.closeTo(observed, 0), n: 200, unit: 'ms' });
  });

  it('is decided exactly at its bound if it has no error, and a time is not', () => {
    const distributions = {
      ...group([100]).distributions,
      inputTokens: group([100]).distributions.ttft!,
    };
    const ruling = (
      name: 'ttft' | 'inputTokens',
      comparison: Objective['comparison'],
      bound: number,
    ) =>
      judged({ comparison, bound, figure: { kind: 'measure', name, statistic: 'max' } }, [
        group([100], { distributions }),
      ]).ruling;
    const comparisons = ['<', '<=', '>', '>='] as const;
    expect(comparisons.map((each) => ruling('inputTokens', each, 100))).toEqual([
      'fail',
      'pass',
      'fail',
      'pass',
    ]);
    // A time of 100 ms was read up to some hundredths of a ms late: it may be a little shorter, but never longer.
    expect(comparisons.map((each) => ruling('ttft', each, 100))).toEqual([
      'inconclusive',
      'pass',
      'fail',
      'inconclusive',
    ]);
    for (const name of ['ttft', 'inputTokens'] as const)
      expect([ruling(name, '<', 101), ruling(name, '>', 99)]).toEqual(['pass', 'pass']);
  });

  it('is not sure in a run that found no end of its warm-up', () => {
    const timeline = Array.from({ length: 30 }, (_, second) => timelineOf(second, to(40)));
    const samples = Array.from({ length: 30 }, () => to(40)).flat();
    const warmUp = { end: milliseconds(0), measures: ['ttft' as const], excluded: 0 };
    const sureIf = (isSteady: boolean) =>
      judged({}, [group(samples)], { timeline, warmUp: { ...warmUp, isSteady } }).sure;
    expect([sureIf(true), sureIf(false)]).toEqual([true, false]);
  });

  it('does not blame the server for a maximum and a mean of a load generator that stood still', () => {
    const delays = emptyHistogram();
    for (const late of [...Array.from({ length: 19 }, () => 1), 3000]) delays.record(late);
    const stoodStill = group([...Array.from({ length: 19 }, () => 50), 3050], {
      delays: { first: delays.toJSON() },
    });
    const verdict = (statistic: 'max' | 'mean', bound: number) =>
      judged({ figure: ttft(statistic), bound }, [stoodStill]);
    expect(verdict('max', 1000)).toMatchObject({ grounds: 'within-error', ruling: 'inconclusive' });
    expect(verdict('mean', 100)).toMatchObject({ grounds: 'within-error', observed: 200 });
    expect(verdict('max', 40)).toMatchObject({ ruling: 'fail' });
    expect(verdict('mean', 40)).toMatchObject({ ruling: 'fail' });
    expect(verdict('max', 3100)).toMatchObject({ ruling: 'pass' });
  });

  it('fails without samples and with too few samples, regardless of their values', () => {
    const none = { ruling: 'fail', grounds: 'no-data' };
    expect(judged({}, [])).toMatchObject({ ...none, observed: null, n: 0 });
    expect(judged({}, [group([])])).toMatchObject(none);
    expect(judged({ comparison: '>', bound: 0 }, [])).toMatchObject(none);
    expect(judged({ minSamples: 20 }, [group(to(19))])).toMatchObject({ ...none, n: 19 });
    expect(judged({ minSamples: 20 }, [group(to(20))])).toMatchObject({ ruling: 'pass' });
  });

  it('counts only what its labels select, and never the warm-up', () => {
    const groups = [
      group(to(10)),
      group(to(20), { labels: { model: 'other' } }),
      group(to(40), { labels: { stage: 'peak' } }),
      group(to(80), { labels: { key: 'spare' } }),
      group(to(160), { labels: { traffic: 'chat' } }),
      group(to(320), { labels: { warmUp: true } }),
    ];
    const n = (scope: Partial<Objective['scope']>) =>
      judged({ scope: { ...everything, ...scope } }, groups).n;
    expect(n({})).toBe(310);
    expect(n({ model: 'other' })).toBe(20);
    expect(n({ stages: ['peak', 'off'] })).toBe(40);
    expect(n({ key: 'spare' })).toBe(80);
    expect(n({ traffic: 'chat-stream', model: 'm', key: 'main', stages: ['steady'] })).toBe(10);
  });

  it('reports whether its confidence interval leaves doubt', () => {
    // Samples that do not depend on each other: each second has one of each tenth.
    const timeline = Array.from({ length: 20 }, (_, second) =>
      timelineOf(
        second,
        to(200).filter((sample) => sample % 20 === second),
      ),
    );
    const sure = (bound: number, comparison: Objective['comparison'] = '<') =>
      judged({ figure: ttft(0.5), bound, comparison }, [group(to(200))], {
        timeline,
        scheduled: milliseconds(20_000),
      }).sure;
    // By half as many effective samples, this median is within [75, 126] or a little more.
    expect([sure(65), sure(90), sure(110), sure(136)]).toEqual([true, false, false, true]);
    expect([sure(65, '>'), sure(90, '>'), sure(110, '>'), sure(136, '>')]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(judged({ figure: ttft('mean') }, [group(to(200))]).sure).toBeNull();
  });
});

describe('counts, shares and rates', () => {
  const outcomes = { ...emptyOutcomeCounts(), completed: 6, limited: 2, refused: 1, dropped: 1 };
  const seen = (figure: ObjectiveFigure, differing: Partial<Group> = {}) =>
    judged({ figure }, [group([], { outcomes, sent: 9, ...differing })]);

  it.each([
    ['due', 10],
    ['sent', 9],
    ['completed', 6],
    ['failed', 4],
    ['limited', 2],
    ['refused', 1],
    ['malformed', 0],
    ['broken', 0],
    ['dropped', 1],
  ] as const)('%s are %i', (name, observed) => {
    expect(seen({ kind: 'count', name })).toMatchObject({ observed, n: null, ruling: 'pass' });
  });

  it.each([
    ['errorRate', 40],
    ['faultRate', 20],
    ['limitedRate', 20],
    ['goodput', 50],
  ] as const)('%s is %i percent of all due arrivals', (name, observed) => {
    const found = seen({ kind: 'share', name }, { good: { all: 5, each: [5] } });
    expect(found).toMatchObject({ observed, n: 10, unit: '%' });
  });

  it('finish is the share of arrivals whose answer ended for a reason, in any spelling', () => {
    const figure = { kind: 'share', name: 'finish', reason: 'length' } as const;
    const finishes = [
      { reason: 'FINISH_REASON_LENGTH', count: 1 },
      { reason: 'length', count: 2 },
      { reason: 'stop', count: 3 },
    ];
    expect(seen(figure, { finishes })).toMatchObject({ observed: 30, n: 10, unit: '%' });
    const never = { ...figure, reason: 'constructor' };
    expect(seen(never, { finishes })).toMatchObject({ observed: 0, ruling: 'pass' });
    // A result of an earlier version counted none.
    expect(seen(figure)).toMatchObject({ observed: null, grounds: 'no-data', ruling: 'fail' });
  });

  it.each(['max_tokens', 'MAX_TOKENS', 'model_length', 'finish_reason_length'])(
    'finish{reason=length} counts what other servers call %s',
    (reason) => {
      const figure = { kind: 'share', name: 'finish', reason: 'length' } as const;
      const groups = [group([], { outcomes, finishes: [{ reason, count: 4 }] })];
      expect(judged({ figure, bound: 5 }, groups)).toMatchObject({ ruling: 'fail' });
    },
  );

  it('finish has arrivals of its scope as its whole', () => {
    const figure = { kind: 'share', name: 'finish', reason: 'length' } as const;
    const finishes = [{ reason: 'length', count: 3 }];
    const groups = [
      group([], { outcomes, finishes }),
      group([], { outcomes, finishes: [], labels: { model: 'other' } }),
      group([], { outcomes, labels: { traffic: 'models', model: null } }),
    ];
    expect(judged({ figure }, groups)).toMatchObject({ observed: 10, n: 30 });
    const scope = { ...everything, model: 'm' };
    expect(judged({ figure, scope }, groups)).toMatchObject({ observed: 30, n: 10 });
  });

  it('a counter without events is 0, but a share of no arrivals has no data', () => {
    const none = (figure: ObjectiveFigure) => judged({ figure }, []);
    expect(none({ kind: 'count', name: 'limited' })).toMatchObject({ observed: 0, ruling: 'pass' });
    expect(none({ kind: 'share', name: 'errorRate' })).toMatchObject({ grounds: 'no-data' });
    expect(none({ kind: 'rate', name: 'completedRate' })).toMatchObject({ grounds: 'no-data' });
  });

  it('a share has Wilson’s interval, for as few arrivals as its blocks are worth', () => {
    // Newcombe 1998, table I: 81 of 263 is 0.2553 to 0.3662. Student’s t of seven blocks widens it.
    const many = { ...emptyOutcomeCounts(), completed: 182, limited: 81 };
    const errorRate = (failed: (second: number) => number) => {
      const timeline = Array.from({ length: 20 }, (_, second) => ({
        ...timelineOf(second, []),
        outcomes: {
          ...emptyOutcomeCounts(),
          completed: 13 - failed(second),
          limited: failed(second),
        },
      }));
      const { low, high } = judged(
        { figure: { kind: 'share', name: 'errorRate' } },
        [group([], { outcomes: many })],
        { timeline, scheduled: milliseconds(20_000) },
      );
      return [low?.toFixed(2), high?.toFixed(2)];
    };
    const { low, high } = wilsonInterval(
      81 / (2.446912 / 1.959964) ** 2,
      263 / (2.446912 / 1.959964) ** 2,
    );
    expect(errorRate(() => 4)).toEqual([(low * 100).toFixed(2), (high * 100).toFixed(2)]);
    // An outage of six seconds in place of failures all along.
    const [lowest, highest] = errorRate((second) => (second < 6 ? 13 : 0)).map(Number);
    expect(lowest).toBeLessThan(10);
    expect(highest).toBeGreaterThan(60);
  });

  it('samples that depend on each other leave the verdict as it is, but not sure', () => {
    // Half of the run is slow: 200 samples are worth a handful of independent ones.
    const timeline = Array.from({ length: 20 }, (_, second) =>
      timelineOf(
        second,
        Array.from({ length: 10 }, () => (second < 10 ? 10 : 100)),
      ),
    );
    const samples = Array.from({ length: 200 }, (_, i) => (i < 100 ? 10 : 100));
    const { ruling, sure, n, effective } = judged(
      { figure: ttft(0.5), bound: 50, minSamples: 20 },
      [group(samples)],
      { timeline, scheduled: milliseconds(20_000) },
    );
    expect([ruling, sure, n]).toEqual(['pass', false, 200]);
    expect(effective).toBeLessThan(20);
  });

  it('no figure of a run that is too short has an interval', () => {
    const { low, high, sure } = judged({}, [group(to(200))], { scheduled: milliseconds(9000) });
    expect([low, high, sure]).toEqual([null, null, null]);
  });

  it('a rate is an average over the whole seconds of its stages', () => {
    const [stage] = samplePlan().stages;
    const load = { ...stage!.load, kind: 'open' as const, spacing: 'even' as const };
    const lasting = (ms: number) => ({
      ...load,
      curve: [{ ...('curve' in load ? load.curve[0]! : never()), duration: milliseconds(ms) }],
    });
    const plan = samplePlan({
      warmUp: milliseconds(1500),
      stages: [
        { ...stage!, name: 'calm', load: lasting(10_000) },
        { ...stage!, name: 'peak', load: lasting(10_500) },
      ],
      objectives: [
        objective({ figure: { kind: 'rate', name: 'completedRate' } }),
        objective({
          figure: { kind: 'rate', name: 'completedRate' },
          scope: { ...everything, stages: ['peak'], traffic: 'chat' },
        }),
        objective({ figure: { kind: 'rate', name: 'offeredRate' } }),
        objective({ figure: { kind: 'rate', name: 'outputTokenRate' }, comparison: '<' }),
      ],
    });
    const whole = healthyResult({ lags: Array.from({ length: 21 }, () => [1]) });
    const timeline = whole.timeline.map((second, i) => ({
      ...second,
      completed: i < 10 ? { chat: 1, models: 1 } : { chat: 5, models: 2 },
    }));
    const result = { ...whole, plan, timeline, groups: [group(to(3))] };
    const verdicts = judgeObjectives(
      { ...result, scheduled: milliseconds(20_500) },
      { level: 'valid', evidence: [], figures: [] },
    );
    // Seconds 2 to 19 are measured, 8 of them calm. The peak’s last half second is not a whole second.
    expect(verdicts.map(({ observed }) => observed)).toEqual([
      (8 * 2 + 10 * 7) / 18,
      5,
      1,
      // No answer reported its tokens, so their rate is unknown, not 0.
      null,
    ]);
    expect(verdicts[3]).toMatchObject({ ruling: 'fail', grounds: 'no-data' });
  });
});

const never = (): never => {
  throw new Error('the sample has an open load');
};

describe('the verdict of an objective', () => {
  const kept = [group(to(10))];

  it('is undecided in an invalid run, but not in a degraded one', () => {
    const ruling = { ruling: 'inconclusive', grounds: 'unfit' };
    expect(judged({}, kept, { level: 'invalid' })).toMatchObject(ruling);
    expect(judged({ bound: 1 }, kept, { level: 'invalid' })).toMatchObject(ruling);
    expect(judged({}, [], { level: 'invalid' })).toMatchObject(ruling);
    expect(judged({}, kept, { level: 'degraded' })).toMatchObject({ ruling: 'pass' });
  });

  it('is undecided if a slice is missing', () => {
    const slices = [sampleJudgedSlice([sampleSecond(0)], { count: 2 })];
    expect(judged({}, kept, { slices })).toMatchObject({ grounds: 'incomplete' });
  });

  it('is never met in a stopped run, but can be broken', () => {
    const partial = 'stopped by SIGINT before the load had ended';
    expect(judged({}, kept, { partial })).toMatchObject({ ruling: 'inconclusive' });
    expect(judged({}, [], { partial })).toMatchObject({ ruling: 'inconclusive' });
    expect(judged({ bound: 1 }, kept, { partial })).toMatchObject({ ruling: 'fail' });
  });

  it('stays broken for the objective that stopped a run, even if the last answers would meet it', () => {
    const breach = { text: 'the objective', at: instant(30_000), observed: 900 };
    const ended = { breach, partial: 'ended by an objective' };
    expect(judged({}, kept, ended)).toMatchObject({ grounds: 'aborted', observed: 900, n: 10 });
    const other = { ...ended, breach: { ...breach, text: 'another' } };
    expect(judged({}, kept, other)).toMatchObject({ grounds: 'partial' });
  });

  it('is undecided if strict and kept, but not sure or without the interval of a longer run', () => {
    const timeline = Array.from({ length: 20 }, (_, second) =>
      timelineOf(
        second,
        to(200).filter((sample) => sample % 20 === second),
      ),
    );
    const long = { timeline, scheduled: milliseconds(20_000), isStrict: true };
    const strictly = (figure: ObjectiveFigure, bound: number, circumstances: object = long) =>
      judged({ figure, bound }, [group(to(200))], circumstances).grounds;
    expect([65, 90, 110, 136].map((bound) => strictly(ttft(0.5), bound))).toEqual([
      'broken',
      'broken',
      'unsure',
      'kept',
    ]);
    const short = { isStrict: true, scheduled: milliseconds(9000) };
    const error: ObjectiveFigure = { kind: 'share', name: 'errorRate' };
    const figures = [
      ttft(0.5),
      ttft('mean'),
      error,
      ttft('max'),
      { kind: 'count', name: 'failed' },
    ];
    const grounds = (circumstances: object) =>
      (figures as ObjectiveFigure[]).map((figure) => strictly(figure, 800, circumstances));
    expect(grounds(short)).toEqual(['unsure', 'unsure', 'unsure', 'kept', 'kept']);
    expect(grounds({ ...short, isStrict: false })).toEqual(Array.from(figures, () => 'kept'));
    expect(judged({}, [group(to(200))], { ...short, level: 'invalid' }).grounds).toBe('unfit');
    expect(judged({}, [group(to(200))], short)).toMatchObject({ ruling: 'inconclusive' });
  });
});
