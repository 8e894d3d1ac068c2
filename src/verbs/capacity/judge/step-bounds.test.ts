import { describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { sampleObjective } from '../../../model/plan/sample-objective.fixture.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import { judgeSteps, judgeStoredSteps } from './judge-steps.ts';

const [sampleStage] = samplePlan().stages;
type Open = Extract<Plan['stages'][number]['load'], { readonly kind: 'open' }>;

/** A stage of so many requests a second for so many seconds. */
const stageOf = (seconds: number, rate = 10, changes: Partial<Open> = {}) => ({
  ...sampleStage!,
  load: {
    kind: 'open' as const,
    spacing: 'even' as const,
    curve: [{ from: perSecond(rate), to: perSecond(rate), duration: milliseconds(seconds * 1000) }],
    ...changes,
  },
});

interface StageTerms {
  readonly rate?: number;
  readonly warmUp?: number;
  readonly load?: Partial<Open>;
  readonly plan?: Partial<Plan>;
}

/** The result of a stage that was as planned; `changes` overrides fields. */
const resultOf = (
  seconds: number,
  { rate = 10, warmUp = 0, load, plan }: StageTerms = {},
  changes: Partial<Result> = {},
): Result =>
  healthyResult({
    plan: samplePlan({
      stages: [stageOf(seconds, rate, load)],
      warmUp: milliseconds(warmUp),
      ...plan,
    }),
    scheduled: milliseconds(seconds * 1000),
    lags: Array.from({ length: seconds }, () => Array.from({ length: rate }, () => 0.3)),
    groups: [sampleGroup(rate * seconds)],
    ...changes,
  });
const judge = (result: Result) => judgeSteps(result, (name) => name)[0];
/** The numbers of a step without the digits that differ between machines. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(7)) : each,
    ),
  );
const timesOf = (...times: readonly number[]) => {
  const histogram = emptyHistogram(3);
  for (const time of times) histogram.record(time);
  return histogram.toJSON();
};

describe('a whole step', () => {
  it('has each part that the target reported', () => {
    const tokens = { answers: 200, answersWithInput: 200, input: 4000, output: 2000 } as never;
    const group = sampleGroup(200, {
      outcomes: { ...emptyOutcomeCounts(), completed: 197, limited: 3 },
      tokens: [tokens],
      distributions: {
        endToEnd: timesOf(100, 200, 300, 900),
        ttft: timesOf(50, 60, 70),
        cost: timesOf(20, 40),
      },
    });
    const server = {
      samples: [9, 10, 12, 19, 20, 21].map((at) => ({
        sent: at * 1000,
        received: at * 1000,
        values: { running: at },
      })),
    } as never;
    const step = judge(resultOf(20, {}, { groups: [group], server }));
    expect(rounded(step)).toMatchSnapshot();
    // Of the second half: at 10, 12, 19 and 20 s.
    expect(step!.server).toEqual({ running: 15.25 });
    const idle = { samples: [] } as never;
    expect(judge(resultOf(20, {}, { server: idle }))).not.toHaveProperty('server');
  });

  it('has only the basic parts if the target reported nothing', () => {
    expect(rounded(judge(resultOf(20)))).toMatchSnapshot();
  });

  it('has no tokens if the input of an answer is unknown, or nothing was answered', () => {
    const tokensOf = (answers: number, answersWithInput: number) =>
      judge(
        resultOf(
          20,
          {},
          {
            groups: [
              sampleGroup(200, {
                tokens: [{ answers, answersWithInput, input: 40, output: 20 } as never],
              }),
            ],
          },
        ),
      )!.tokens;
    expect([tokensOf(2, 2), tokensOf(2, 1), tokensOf(0, 0)]).toEqual([30, null, null]);
  });
});

describe('the measured seconds of a step', () => {
  const secondsOf = (...run: Parameters<typeof resultOf>) => {
    const step = judge(resultOf(...run));
    return step && [step.warmUp, step.seconds];
  };

  it('are its second half, or what comes after the warm-up, of at least three whole ones', () => {
    expect(secondsOf(20)).toEqual([10, 10]);
    expect(secondsOf(20, { warmUp: 4000 })).toEqual([4, 16]);
    expect(secondsOf(20, { warmUp: 4001 })).toEqual([5, 15]);
    expect([secondsOf(5), secondsOf(6)]).toEqual([undefined, [3, 3]]);
    expect(secondsOf(6, { warmUp: 3001 })).toBeUndefined();
    const two = { plan: { stages: [stageOf(20), { ...stageOf(20), name: 'next' }] }, warmUp: 4000 };
    expect(secondsOf(40, two)).toEqual([10, 10]);
  });

  it('end with the last arrival if the stage was stopped', () => {
    const stopped = (lastArrival: number) =>
      secondsOf(20, {}, { scheduled: milliseconds(lastArrival) });
    // The longest gap between random arrivals of 10/s is a second.
    expect([stopped(19_000), stopped(18_999)]).toEqual([
      [10, 10],
      [10, 8],
    ]);
    expect(stopped(25_000)).toEqual([10, 10]);
  });

  it('are of a constant open load that had arrivals', () => {
    const [{ duration }] = stageOf(20).load.curve as [Open['curve'][number]];
    const piece = (from: number, to: number) => ({
      from: perSecond(from),
      to: perSecond(to),
      duration: milliseconds(duration / 2),
    });
    const curve = (...pieces: Open['curve']) =>
      secondsOf(20, { load: { curve: pieces } }) !== undefined;
    expect(curve(piece(10, 10), piece(10, 10))).toBe(true);
    expect(curve(piece(10, 11), piece(10, 10))).toBe(false);
    expect(curve(piece(11, 10), piece(10, 10))).toBe(false);
    expect(curve(piece(10, 10), piece(11, 10))).toBe(false);
    expect(curve(piece(0, 0), piece(0, 0))).toBe(false);
    const closed = { ...sampleStage!, load: { kind: 'closed' } as never };
    expect(
      judgeSteps({ ...resultOf(20), plan: { ...resultOf(20).plan, stages: [] } }, String),
    ).toEqual([]);
    expect(secondsOf(20, { plan: { stages: [closed] } })).toBeUndefined();
    expect(secondsOf(20, {}, { groups: [] })).toBeUndefined();
    const [warm] = resultOf(20).groups;
    const labels = { ...warm!.labels, warmUp: true };
    expect(secondsOf(20, {}, { groups: [{ ...warm!, labels }] })).toBeUndefined();
  });

  it('have the rate that was planned, or of random arrivals the one that was seen', () => {
    const seen = (spacing: Open['spacing'], warmUp = 0) =>
      judge(resultOf(20, { load: { spacing }, warmUp }, { groups: [sampleGroup(190)] }))!.rate;
    expect([seen('even'), seen('poisson'), seen('poisson', 1000)]).toEqual([10, 9.5, 10]);
  });
});

describe('the flow of a step', () => {
  const flowOf = (endedAt: (second: number) => number, completedAt = endedAt) => {
    const even = resultOf(20);
    const timeline = even.timeline.map((each) => ({
      ...each,
      ended: endedAt(each.second),
      outcomes: { ...each.outcomes, completed: completedAt(each.second) },
    }));
    return { ...even, timeline };
  };

  it('is what began and ended in each second, also in one that is missing', () => {
    const result = flowOf((second) => 8 + (second % 4));
    const { throughput, spread, inFlight, growth } = judge(result)!;
    expect(rounded({ throughput, spread, inFlight, growth })).toMatchSnapshot('whole');
    const gap = { ...result, timeline: result.timeline.filter(({ second }) => second !== 12) };
    const missing = judge(gap)!;
    expect(rounded([missing.throughput, missing.inFlight, missing.growth])).toMatchSnapshot(
      'with a gap',
    );
  });

  it('is as uncertain as its halves differ', () => {
    // Five seconds of 5 and five of 15: half of the difference is half of the mean.
    expect(
      judge(
        flowOf(
          () => 10,
          (second) => (second < 15 ? 5 : 15),
        ),
      )!.spread,
    ).toBe(0.5);
    expect(
      judge(
        flowOf(
          () => 10,
          () => 0,
        ),
      ),
    ).toMatchObject({ spread: 1, throughput: 0 });
  });

  it('that certainly grew breaks the step, and says how much', () => {
    const step = judge(flowOf((second) => (second < 10 ? 10 : 2)))!;
    expect(step).toMatchObject({ verdict: 'broken', sure: true });
    expect(step.breaches).toMatchSnapshot();
    // 98 % of what began, with the scatter of all of it, may be none.
    expect(judge(flowOf(() => 10))).toMatchObject({ verdict: 'kept', sure: false, breaches: [] });
  });
});

describe('the verdict about a step', () => {
  it('is none if the load generator was invalid, and says why', () => {
    const lags = Array.from({ length: 20 }, () => Array.from({ length: 10 }, () => 900));
    const step = judge({ ...resultOf(20), timeline: healthyResult({ lags }).timeline })!;
    expect(step).toMatchObject({ verdict: 'unfit', sure: false });
    expect(step.breaches).toMatchSnapshot();
  });

  it('is undecided with too few samples for an objective, which is no doubt about growth', () => {
    const objectives = [sampleObjective({ minSamples: 999 })];
    const few = resultOf(20, { plan: { objectives } });
    expect(judge(few)).toMatchObject({ verdict: 'undecided', sure: false, breaches: [] });
    expect(judgeStoredSteps(few, String)[0]).toMatchObject({ verdict: 'undecided' });
  });

  it('is undecided if the load generator itself may have broken an objective, and says by how much', () => {
    const figure = { kind: 'measure', name: 'endToEnd', statistic: 'max' } as const;
    const objectives = [sampleObjective({ text: 'endToEnd.max < 1s', figure, bound: 1000 })];
    const group = sampleGroup(200, {
      distributions: { endToEnd: timesOf(50, 60, 3050) },
      delays: { end: timesOf(1, 1, 3000) },
    });
    const step = judge(resultOf(20, { plan: { objectives } }, { groups: [group] }))!;
    expect(step).toMatchObject({ verdict: 'undecided', sure: false });
    expect(step.breaches).toMatchSnapshot();
  });

  it('is undecided if its growth may be none and may be too much, and says between what', () => {
    const even = resultOf(400);
    const timeline = even.timeline.map((each) => ({
      ...each,
      ended: each.second % 50 < 25 ? 8 : 12,
    }));
    const step = judge({ ...even, timeline })!;
    expect(step).toMatchObject({ verdict: 'undecided', sure: false, warmUp: 200 });
    expect(step.breaches).toMatchSnapshot();
  });

  it('names the stages by the given function', () => {
    expect(judgeSteps(resultOf(20), (name) => `its ${name}`)[0]!.name).toBe('its steady');
  });
});
