import { describe, expect, it } from 'vitest';
import { countingSpread, growthOfFlow, slopeOf } from './growth.ts';
import { ceilingOf, judgeCapacity } from './judge-capacity.ts';
import { sampleStep, sampleTerms } from './sample-steps.fixture.ts';

/** 97.5 % of the normal distribution. */
const z = 1.959_964;

describe('the slope of a series', () => {
  it('has the interval of its residuals', () => {
    // The line through 0, 0 and 3 has the slope 1.5, and residuals of 0.5, −1 and 0.5. Student's t with one degree of
    // freedom is 12.7062, and the squares of the places are 2.
    const { value, low, high, effective } = slopeOf([0, 0, 3]);
    expect([value, effective]).toEqual([1.5, 3]);
    expect(high).toBeCloseTo(1.5 + 12.706_2 * Math.sqrt(1.5 / 2), 3);
    expect(low).toBeCloseTo(1.5 - 12.706_2 * Math.sqrt(1.5 / 2), 3);
  });

  it('counts neighbours that are alike as fewer', () => {
    // Of 12 squares, 7 are shared with a neighbour: 12 · (5/12) / (19/12).
    const blocks = [1, 1, 1, -1, -1, -1, -1, -1, -1, 1, 1, 1];
    expect(slopeOf(blocks).effective).toBeCloseTo(60 / 19, 9);
    expect(slopeOf(blocks).value).toBeCloseTo(0, 9);
    // At most 0.99 of them, and never less than none.
    const curve = Array.from({ length: 1000 }, (_, i) => i ** 2);
    expect(slopeOf(curve).effective).toBeCloseTo(10 / 1.99, 9);
    expect(slopeOf([1, -1, 1, -1]).effective).toBe(4);
  });
});

it('a count is as exact as ten blocks of it say, and at least as a random one', () => {
  const blocks = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? [0, 0] : [10, 10])).flat();
  // Sums of 0 and of 20 vary by 1000/9 around 10.
  expect(countingSpread(blocks)).toBeCloseTo(Math.sqrt(100 / 9 / 100), 9);
  // A second that fills no block counts all the same.
  expect(countingSpread([...blocks, 5])).toBeCloseTo(Math.sqrt(100 / 9 / 105), 9);
  expect(countingSpread([0, 400])).toBeCloseTo(1 / 20, 9);
  expect([countingSpread([]), countingSpread([0, 0])]).toEqual([1, 1]);
  expect(countingSpread([400, ...Array.from({ length: 9 }, () => 0)])).toBe(1);
});

describe('the growth of requests in flight', () => {
  it('has the error of those that ended, within one arrival', () => {
    const { value, low, high } = growthOfFlow({
      begun: [10, 10],
      ended: [8, 8],
      inFlight: [0, 2, 4],
    });
    expect(value).toBe(0.2);
    expect([low, high]).toEqual([
      expect.closeTo(0.2 - (z * 4) / 20, 6),
      expect.closeTo(0.2 + (z * 4) / 20, 6),
    ]);
    expect(growthOfFlow({ begun: [10], ended: [0], inFlight: [0, 10] })).toEqual({
      value: 1,
      low: expect.closeTo(1 - z / 10, 6),
      high: 1,
    });
    expect(growthOfFlow({ begun: [1], ended: [9], inFlight: [9, 1] })).toEqual({
      value: -1,
      low: -1,
      high: expect.closeTo(-8 + 3 * z, 5),
    });
    expect(growthOfFlow({ begun: [0], ended: [3], inFlight: [3, 0] })).toEqual({
      value: 0,
      low: -1,
      high: 1,
    });
  });

  it('has that of their number from twenty samples on', () => {
    const flow = (samples: number) =>
      growthOfFlow({
        begun: Array.from({ length: samples - 1 }, () => 8),
        ended: Array.from({ length: samples - 1 }, () => 8),
        inFlight: Array.from({ length: samples }, (_, i) => i % 2),
      });
    // Ten ones at odd places of 20 make a slope of 5 / 665; there are eight arrivals in a second.
    expect(flow(20).value).toBeCloseTo(5 / 665 / 8, 9);
    expect(flow(18).value).toBe(0);
  });
});

describe('the declared ceiling', () => {
  const steps = [
    sampleStep(1, { tokens: 100, completed: 30 }),
    sampleStep(2, { tokens: 400, completed: 90 }),
    sampleStep(3, { tokens: null, completed: 1000 }),
  ];
  // 3,000 and 36,000 tokens of 120 requests are 325 each.
  it.each([
    [
      { requestsPerMinute: 120, keys: 2 },
      { rate: 4, bound: 'requests' },
    ],
    [
      { tokensPerMinute: 39_000, keys: 2 },
      { rate: 4, bound: 'tokens' },
    ],
    [
      { tokensPerMinute: 39_000, requestsPerMinute: 120 },
      { rate: 2, bound: 'requests' },
    ],
    [
      { tokensPerMinute: 19_500, requestsPerMinute: 120 },
      { rate: 1, bound: 'tokens' },
    ],
    [{}, null],
  ] as const)('of %j is %j', (limits, ceiling) => {
    expect(ceilingOf(sampleTerms(limits), steps)).toEqual(ceiling);
  });

  it('of tokens is unknown until a step shows how many a request has', () => {
    const limits = sampleTerms({ tokensPerMinute: 600 });
    expect(ceilingOf(limits, [])).toBeNull();
    expect(ceilingOf(limits, [sampleStep(1, { tokens: 9, completed: 0 })])).toBeNull();
    expect(ceilingOf(limits, [sampleStep(1, { tokens: 0 })])).toBeNull();
  });

  it('and the tokens of a request give the keys that a rate needs, and its price and users', () => {
    const found = (limits: Parameters<typeof sampleTerms>[0], changes = {}) => {
      const step = sampleStep(2, { tokens: 300, ...changes });
      const answer = judgeCapacity([step], sampleTerms(limits), false)!;
      const { keysForRequests, keysForTokens, costPerHour, users, latency } = answer;
      return [keysForRequests, keysForTokens, costPerHour, users, latency];
    };
    // 120 requests and 36,000 tokens a minute; 20 micro-units each; 2/s · (19.5 s + 0.5 s).
    expect(found({ requestsPerMinute: 1000, tokensPerMinute: 1e6 })).toEqual([
      1, 1, 144_000, 40, 500,
    ]);
    expect(found({ requestsPerMinute: 60, tokensPerMinute: 12_000, keys: 9 })).toEqual([
      2, 3, 144_000, 40, 500,
    ]);
    expect(found({ requestsPerMinute: 59, tokensPerMinute: 11_999, keys: 9 })).toEqual([
      3, 4, 144_000, 40, 500,
    ]);
    expect(found({}, { cost: null, latency: null, tokens: null })).toEqual([
      null,
      null,
      null,
      39,
      null,
    ]);
  });
});
