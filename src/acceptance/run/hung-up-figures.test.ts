// @long 2 s
import { expect, it } from 'vitest';
import { judgeObjectives } from '../../judge/objectives/judge-objectives.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { measuredRates } from '../../report/summary/rates.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat, refusedWith } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { readScenario } from '../../scenario/read-scenario.ts';

const arrivals = 20_000;
const length = 100_000;

/**
 * One arrival of a gateway that refuses a tenth of the chats at once and answers three of ten others in 3 s instead of
 * 100 ms. The client hangs up after 2 s on this share of them.
 */
const arrivalOf = (index: number, share: number): Observation => {
  const draw = drawFrom(47, index);
  const due = (index * length) / arrivals;
  const [isRefused, isSlow] = [draw.uniform() < 0.1, draw.uniform() < 0.3];
  const toCancel = draw.uniform() < share;
  const whole = isRefused
    ? { ...answeredChat(due, 5), outcome: refusedWith('no') }
    : answeredChat(due, isSlow ? 3000 : 100);
  if (!toCancel) return whole;
  return isRefused || !isSlow
    ? { ...whole, toCancel }
    : {
        ...whole,
        toCancel,
        head: null,
        ended: instant(due + 2000),
        outcome: { kind: 'cancelled', bytes: 0, partial: null },
      };
};

const resultWith = (share: number): Result => {
  const text = JSON.stringify({
    traffic: [{ kind: 'chat', model: 'publisher/model-8b' }],
    load: { kind: 'constant', rate: '200/s', duration: '100s' },
    perRequest: ['e2e < 1s'],
    objectives: [
      'e2e.p60 < 1s',
      'e2e.p70 < 1s',
      'e2e.p95 < 1s',
      'goodput > 10%',
      'errorRate < 50%',
    ],
  });
  const reading = readScenario({ text, name: 'f', environment: {} });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const { objectives, perRequest } = reading.plan;
  const plan = samplePlan({ objectives, perRequest, warmUp: milliseconds(0) });
  const tally = emptyTally(plan);
  for (let index = 0; index < arrivals; index += 1)
    recordObservation(tally, arrivalOf(index, share));
  const facts = sampleFacts([{ index: 0, count: 1 }], { plan, planHash: planHash(plan) });
  return toResult(tally, { ...facts, scheduled: milliseconds(length), partial: null });
};

const figuresOf = (result: Result): readonly (number | null)[] =>
  judgeObjectives(result, { level: 'valid', evidence: [], figures: [] }).map(
    ({ observed }) => observed,
  );

it.each([0, 0.1, 0.5, 0.9])(
  'hang-ups after 2 s on a share of %d of the requests make the gateway neither faster nor worse',
  (share) => {
    const result = resultWith(share);
    const [p60, p70, p95, goodput, errorRate] = figuresOf(result);
    // 63 % of the arrivals are answered in 100 ms, 27 % in 3 s, and 10 % never.
    expect([Math.round(p60!), Math.round(p70!), p95]).toEqual([100, 3000, null]);
    // Four standard deviations of a share of the requests that were awaited.
    const near = 400 * Math.sqrt((0.63 * 0.37) / (arrivals * (1 - share)));
    expect(Math.abs(goodput! - 63)).toBeLessThan(near);
    expect(Math.abs(errorRate! - 10)).toBeLessThan(400 * Math.sqrt((0.1 * 0.9) / arrivals));
    // Whatever completed counts in the rate.
    const completed = result.groups.reduce((sum, { outcomes }) => sum + outcomes.completed, 0);
    expect(measuredRates(result)!.completed).toBeCloseTo((completed * 1000) / length, 6);
  },
);

it('an objective on times has no data if the client was to hang up on all requests', () => {
  const [p60, p70] = judgeObjectives(resultWith(1), { level: 'valid', evidence: [], figures: [] });
  expect([p60!.grounds, p70!.grounds]).toEqual(['no-data', 'no-data']);
});
