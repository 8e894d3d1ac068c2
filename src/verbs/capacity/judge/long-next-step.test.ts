// @long 1 s
import { expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { judgeCapacity } from './judge-capacity.ts';
import { lateStep, sampleTerms, searchWith } from './sample-steps.fixture.ts';

it('the search for the highest rate tolerates an occasional wrong verdict', () => {
  let near = 0;
  for (let seed = 0; seed < 8; seed += 1) {
    const draw = drawFrom(seed, 8);
    const terms = sampleTerms({ forLatency: true });
    const steps = searchWith(terms, (rate) => ({
      ...lateStep(rate, rate > 20 !== draw.uniform() < 0.06),
      sure: false,
    }));
    const rate = judgeCapacity(steps, terms, true)?.rate.value ?? 0;
    if (rate > 19 && rate < 21) near += 1;
  }
  expect(near).toBe(8);
});

it('the search for the highest rate finds a latency limit within its precision in few steps, wherever it is', () => {
  for (const border of [0.3, 3.3, 17, 63.9, 410]) {
    const terms = sampleTerms({ forLatency: true });
    const steps = searchWith(terms, (rate) => lateStep(rate, rate > border));
    const answer = judgeCapacity(steps, terms, true);
    expect(answer?.rate.value, `border ${border}`).toBeGreaterThan(border * 0.95);
    expect(answer?.rate.value, `border ${border}`).toBeLessThan(border * 1.05);
    expect(answer).toMatchObject({ binding: 'latency', proved: true });
    expect(steps.length).toBeLessThan(24);
  }
});
