import type { Plan } from '../../../model/plan/plan.ts';
import { describe, expect, it } from 'vitest';
import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { growthCertainlyBelow, provingArrivals } from './growth.ts';
import { judgeSteps, judgeStoredSteps } from './judge-steps.ts';

/** Ten drawn arrivals a second, planned for a minute, of which so many seconds came to pass. */
const stepOf = (seconds: number, until: Pick<Plan, 'until'> = {}) => {
  const [stage] = samplePlan().stages;
  const rate = perSecond(10);
  const curve = [{ from: rate, to: rate, duration: milliseconds(60_000) }];
  const plan = samplePlan({
    stages: [{ ...stage!, load: { kind: 'open', spacing: 'poisson', curve } }],
    warmUp: milliseconds(0),
    ...until,
  });
  const arrivals = 10 * seconds;
  const result = healthyResult({
    plan,
    scheduled: milliseconds(seconds * 1000),
    lags: Array.from({ length: seconds }, () => Array.from({ length: 10 }, () => 0.3)),
    groups: [sampleGroup(arrivals)],
  });
  return judgeSteps(result, (name) => name)[0];
};

it.each([60, 40])(
  'a step offers the arrivals per second that occurred, also in %i s of a minute',
  (seconds) => {
    expect(stepOf(seconds)).toMatchObject({ rate: 10, throughput: 10, seconds: seconds - 30 });
  },
);

it('a step that was stopped in its first half gives no result', () => {
  expect(stepOf(30)).toBeUndefined();
});

it('a step that its objectives ended settles in the first half of what it lasted', () => {
  expect(stepOf(30, { until: 'decided' })).toMatchObject({ rate: 10, seconds: 15 });
});

/** A stage of 10/s for so many seconds whose ends come in waves of that period, with the growth of a full server. */
const wavyStage = (seconds: number, period: number, growth = 0) => {
  const [stage] = samplePlan().stages;
  const rate = perSecond(10);
  const curve = [{ from: rate, to: rate, duration: milliseconds(seconds * 1000) }];
  const even = healthyResult({
    plan: samplePlan({
      stages: [{ ...stage!, load: { kind: 'open', spacing: 'even', curve } }],
      warmUp: milliseconds(0),
    }),
    scheduled: milliseconds(seconds * 1000),
    lags: Array.from({ length: seconds }, () => Array.from({ length: 10 }, () => 0.3)),
    groups: [sampleGroup(10 * seconds)],
  });
  const timeline = even.timeline.map((each) => ({
    ...each,
    ended: (each.second % period < period / 2 ? 8 : 12) - 10 * growth,
  }));
  return { ...even, timeline };
};

describe('a step whose growth is not certain', () => {
  it('is kept, not surely, if too few arrivals were measured, however many there were before', () => {
    const [step] = judgeSteps(wavyStage(200, 10), (name) => name);
    expect(step).toMatchObject({ arrivals: 2000, verdict: 'kept', sure: false, breaches: [] });
    expect(step!.growth.high).toBeGreaterThan(growthCertainlyBelow);
  });

  it('is undecided in a search, which takes it again, and kept, not surely, where it is over', () => {
    const result = wavyStage(400, 50);
    expect(judgeSteps(result, (name) => name)[0]).toMatchObject({
      verdict: 'undecided',
      breaches: [{ bound: 'concurrency' }],
    });
    expect(judgeStoredSteps(result, (name) => name)[0]).toMatchObject({
      verdict: 'kept',
      sure: false,
      breaches: [],
    });
  });

  it('is undecided where it is over, too, if it rather grew by what is not kept', () => {
    const result = wavyStage(400, 50, 0.06);
    expect(judgeStoredSteps(result, (name) => name)[0]).toMatchObject({ verdict: 'undecided' });
  });

  it('has enough arrivals to be certain from the number on that its error allows', () => {
    expect(1.96 / Math.sqrt(provingArrivals)).toBeLessThan(growthCertainlyBelow);
    expect(1.96 / Math.sqrt(provingArrivals - 10)).toBeGreaterThan(growthCertainlyBelow);
  });
});
