import { expect, it } from 'vitest';
import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { judgeSteps } from './judge-steps.ts';

/** Ten drawn arrivals a second, planned for a minute, of which so many seconds came to pass. */
const stepOf = (seconds: number) => {
  const [stage] = samplePlan().stages;
  const rate = perSecond(10);
  const curve = [{ from: rate, to: rate, duration: milliseconds(60_000) }];
  const plan = samplePlan({
    stages: [{ ...stage!, load: { kind: 'open', spacing: 'poisson', curve } }],
    warmUp: milliseconds(0),
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
