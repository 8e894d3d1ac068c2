import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import { judgeCapacity } from './judge-capacity.ts';
import { overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

const kept = [sampleStep(2), sampleStep(4)];

describe('the answer in units of users, keys and money', () => {
  it('counts users by the time that they think and wait', () => {
    // 4/s × (0.5 s + 19.5 s).
    expect(judgeCapacity(kept, sampleTerms(), false)).toMatchObject({
      users: 80,
      costPerHour: 288_000,
    });
  });

  it('names no limit if every tested rate is sustained', () => {
    const answer = judgeCapacity(kept, sampleTerms({ top: perSecond(4) }), false);
    expect(answer).toMatchObject({ binding: 'none', proved: false, rate: { value: 4 } });
  });

  it('names the declared limit that is reached first, and counts keys for both', () => {
    // 240 requests and 72,000 tokens a minute; four keys have 240 and 80,000.
    const limits = { requestsPerMinute: 60, tokensPerMinute: 20_000, keys: 4 };
    expect(judgeCapacity(kept, sampleTerms(limits), false)).toMatchObject({
      binding: 'requests',
      proved: true,
      rate: { value: 4, low: 4, high: 4 },
      keysForRequests: 4,
      keysForTokens: 4,
    });
    const fewer = { ...limits, tokensPerMinute: 18_000 };
    expect(
      judgeCapacity(kept, sampleTerms({ ...fewer, requestsPerMinute: 90 }), false),
    ).toMatchObject({ binding: 'tokens', keysForRequests: 3, keysForTokens: 4 });
  });

  it('names concurrency if requests pile up', () => {
    const steps = [...kept, overloadedStep(8, 5), sampleStep(4.9), overloadedStep(5.2, 5)];
    const answer = judgeCapacity(steps, sampleTerms(), false);
    expect(answer).toMatchObject({ binding: 'concurrency', proved: true });
    expect(answer?.rate.value).toBeCloseTo(5, 0);
  });

  it('is absent if not even the lowest rate is sustained', () => {
    expect(judgeCapacity([overloadedStep(1, 0.4)], sampleTerms(), false)).toBeNull();
  });

  it('has no money and no tokens if they are unknown', () => {
    const untold = [sampleStep(2, { tokens: null, cost: null })];
    const answer = judgeCapacity(untold, sampleTerms({ tokensPerMinute: 100 }), false);
    expect(answer).toMatchObject({ costPerHour: null, keysForTokens: null });
  });
});
