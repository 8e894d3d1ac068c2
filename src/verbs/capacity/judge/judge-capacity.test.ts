import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import { judgeCapacity } from './judge-capacity.ts';
import { lateStep, overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

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

  it('says why by the surely broken step near above the rate, not by one that broke by chance', () => {
    const steps = [...kept, sampleStep(4.9), overloadedStep(5.3, 5), overloadedStep(8, 5)];
    const { rate, because } = judgeCapacity(steps, sampleTerms(), false)!;
    expect(because).toBe('at 5.30/s requests in flight grew');
    for (const share of [0.99, 1.01]) {
      const unlucky = { ...lateStep(rate.value * share, true), sure: false };
      const answer = judgeCapacity([...steps, unlucky], sampleTerms(), false)!;
      expect(answer.because).toBe(because);
      // Without a sure one near it, the nearest above it, or else the nearest at all.
      const alone = judgeCapacity([...kept, sampleStep(4.9), unlucky], sampleTerms(), false)!;
      expect(alone.because).toContain('ttft.p95');
    }
  });

  it('is absent if not even the lowest rate is sustained', () => {
    expect(judgeCapacity([overloadedStep(1, 0.4)], sampleTerms(), false)).toBeNull();
  });

  it('has no money and no tokens if they are unknown', () => {
    const unknown = [sampleStep(2, { tokens: null, cost: null })];
    const answer = judgeCapacity(unknown, sampleTerms({ tokensPerMinute: 100 }), false);
    expect(answer).toMatchObject({ costPerHour: null, keysForTokens: null });
  });
});

/** A step whose growth may be none and may be more than is kept. */
const doubtfulStep = (rate: number, value = 0) =>
  sampleStep(rate, {
    verdict: 'undecided',
    sure: false,
    growth: { value, low: value - 0.06, high: value + 0.06 },
    breaches: [{ bound: 'concurrency', text: 'requests in flight grew by -6 … 6 %' }],
  });

describe('the answer of a search in which no step broke', () => {
  it('is the highest rate tried, also if that is undecided, and says so', () => {
    const answer = judgeCapacity([sampleStep(50), doubtfulStep(100)], sampleTerms(), false);
    expect(answer).toMatchObject({ binding: 'none', proved: false, rate: { high: 100 } });
    expect(answer!.rate.value).toBeCloseTo(100, 9);
    expect(answer!.rate.low).toBeGreaterThan(85);
    expect(answer!.rate.low).toBeLessThan(100);
    expect(answer!.because).toBe(
      'it is undecided whether the objectives are met at 100/s, the highest rate tried: requests in flight grew by -6 … 6 %',
    );
  });

  it('is the rate of the only step if that is kept, but not surely', () => {
    const few = sampleStep(10, { sure: false, growth: { value: 0, low: -0.2, high: 0.2 } });
    const answer = judgeCapacity([few], sampleTerms(), false);
    expect(answer).toMatchObject({ proved: false, rate: { value: 10, high: 10 } });
    expect(answer!.because).toContain('met at 10.0/s, the highest rate tried, but not surely');
  });

  it('is there if the only step is undecided', () => {
    expect(judgeCapacity([doubtfulStep(10)], sampleTerms(), false)).toMatchObject({
      rate: { value: 10, high: 10 },
      latency: 500,
      users: 200,
      proved: false,
    });
    // Too few samples for an objective are no evidence.
    const undecided = sampleStep(10, { verdict: 'undecided', sure: false });
    expect(judgeCapacity([undecided], sampleTerms(), false)).toBeNull();
  });

  it('is less than the highest rate tried if requests in flight rather grew there', () => {
    const rate = judgeCapacity(
      [sampleStep(50), doubtfulStep(100, 0.08)],
      sampleTerms(),
      false,
    )!.rate;
    expect(rate.value).toBeLessThan(98);
    expect(rate.high).toBe(100);
  });

  it('is proved at a declared limit only if a step there is surely kept', () => {
    const terms = sampleTerms({ requestsPerMinute: 60 });
    const few = sampleStep(1, { sure: false, growth: { value: 0, low: -0.13, high: 0.13 } });
    const answer = judgeCapacity([sampleStep(0.5), few], terms, false);
    expect(answer).toMatchObject({ binding: 'requests', proved: false, rate: { high: 1 } });
    expect(answer!.rate.low).toBeLessThan(0.99);
    expect(answer!.because).toBe(
      'the objectives are met at 1.00/s, the maximum of the declared limit of requests per minute, but not surely',
    );
    expect(judgeCapacity([few, sampleStep(0.995)], terms, false)).toMatchObject({
      proved: true,
      rate: { value: 1, low: 1, high: 1 },
    });
  });
});

it('an answer is proved if its interval is at most half as wide again as the precision', () => {
  const steps = [sampleStep(4.95), overloadedStep(8, 5), overloadedStep(5.2, 5)];
  const judged = (precision: number) => judgeCapacity(steps, sampleTerms({ precision }), false)!;
  const { low, high } = judged(0.05).rate;
  const width = high / low - 1;
  expect(width).toBeGreaterThan(0.01);
  expect(judged((width / 1.5) * 1.0001).proved).toBe(true);
  expect(judged((width / 1.5) * 0.9999).proved).toBe(false);
});

it('a step of the climb proves no answer, however close it is', () => {
  const quick = { sure: false, growth: { value: 0, low: -0.3, high: 0.3 } };
  const above = [overloadedStep(8, 5), overloadedStep(5.2, 5)];
  expect(judgeCapacity([sampleStep(4.95), ...above], sampleTerms(), false)?.proved).toBe(true);
  expect(judgeCapacity([sampleStep(4.95, quick), ...above], sampleTerms(), false)?.proved).toBe(
    false,
  );
});
