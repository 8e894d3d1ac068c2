import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { ceilingOf, decisiveSteps, judgeCapacity } from './judge-capacity.ts';
import { lateStep, overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

const answer = (
  steps: readonly CapacityStep[],
  terms: Parameters<typeof sampleTerms>[0] = {},
  forLatency = false,
) => judgeCapacity(steps, sampleTerms(terms), forLatency)!;
/** The numbers of an answer to six digits. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(6)) : each,
    ),
  );
const wide = { value: 0, low: -0.3, high: 0.3 };
const undecided = (rate: number, changes: Partial<CapacityStep> = {}) =>
  sampleStep(rate, {
    verdict: 'undecided',
    sure: false,
    growth: wide,
    breaches: [{ bound: 'concurrency', text: 'in doubt' }],
    ...changes,
  });

describe('the whole answer', () => {
  it('has each part where a search found each', () => {
    const steps = [
      sampleStep(4, { cost: 21.5, tokens: 250 }),
      sampleStep(4.9, { latency: { mean: 640, p50: 600, p95: 900 } }),
      overloadedStep(5.2, 5),
    ];
    const limits = { requestsPerMinute: 250, tokensPerMinute: 99_000, keys: 2 };
    expect(rounded(answer(steps, limits))).toMatchSnapshot();
  });

  it('has as little as it can where nothing but a rate is known', () => {
    const bare = sampleStep(4, { tokens: null, cost: null, latency: null });
    expect(answer([bare])).toEqual({
      rate: { value: 4, low: 4, high: 4 },
      binding: 'none',
      because: 'the objectives are met at 4.00/s, the highest rate tried',
      proved: false,
      latency: null,
      users: 78,
      keysForRequests: null,
      keysForTokens: null,
      costPerHour: null,
    });
    expect(judgeCapacity([], sampleTerms(), false)).toBeNull();
  });
});

describe('the ceiling', () => {
  const ceiling = (
    limits: Parameters<typeof sampleTerms>[0],
    steps: readonly CapacityStep[] = [],
  ) => ceilingOf(sampleTerms(limits), steps);

  it('is the lower of the limits of requests and of tokens, for all keys', () => {
    const steps = [
      sampleStep(1, { tokens: 100, completed: 10 }),
      sampleStep(1, { tokens: 400, completed: 20 }),
    ];
    expect(ceiling({ requestsPerMinute: 90, keys: 2 })).toEqual({ rate: 3, bound: 'requests' });
    expect(ceiling({ tokensPerMinute: 9000, keys: 2 })).toBeNull();
    // Ten of 100 and twenty of 400 are 300 a request.
    expect(ceiling({ tokensPerMinute: 9000, keys: 2 }, steps)).toEqual({
      rate: 1,
      bound: 'tokens',
    });
    const both = { tokensPerMinute: 9000, requestsPerMinute: 30 };
    expect(ceiling(both, steps)).toEqual({ rate: 0.5, bound: 'requests' });
    expect(ceiling({ ...both, requestsPerMinute: 31 }, steps)).toMatchObject({ bound: 'tokens' });
    const uncounted = sampleStep(1, { tokens: null, completed: 1000 });
    expect(ceiling({ tokensPerMinute: 9000 }, [...steps, uncounted])).toEqual({
      rate: 0.5,
      bound: 'tokens',
    });
    expect(ceiling({ tokensPerMinute: 9000 }, [sampleStep(1, { completed: 0 })])).toBeNull();
    expect(ceiling({ tokensPerMinute: 9000 }, [sampleStep(1, { tokens: 0 })])).toBeNull();
  });

  it('is reached from 98 % of it on', () => {
    const at = (rate: number) => answer([sampleStep(rate)], { requestsPerMinute: 600 });
    expect(at(9.8)).toMatchObject({ binding: 'requests', proved: true, rate: { value: 10 } });
    expect(at(9.79)).toMatchObject({ binding: 'none', proved: false, rate: { value: 9.79 } });
    const broken = (requestsPerMinute: number) =>
      answer([sampleStep(4.9), overloadedStep(5.2, 5)], { requestsPerMinute }).binding;
    expect([broken(305), broken(307)]).toEqual(['requests', 'concurrency']);
  });

  it('is of steps that decide', () => {
    const verdicts = ['kept', 'broken', 'undecided', 'unfit'] as const;
    const steps = verdicts.map((verdict) => sampleStep(1, { verdict }));
    expect(decisiveSteps(steps).map(({ verdict }) => verdict)).toEqual(['kept', 'broken']);
  });
});

describe('keys and users', () => {
  it('are as many as the rate uses up, at least one', () => {
    const keys = (requestsPerMinute: number, rate = 4) =>
      answer([sampleStep(rate)], { requestsPerMinute, keys: 1000 }).keysForRequests;
    // 240 a minute.
    expect([240, 239, 120, 119, 10_000].map((limit) => keys(limit))).toEqual([1, 2, 2, 3, 1]);
    expect(keys(10_000, 0.1)).toBe(1);
    expect(answer([sampleStep(4)], { tokensPerMinute: 72_000, keys: 9 }).keysForTokens).toBe(1);
    expect(answer([sampleStep(4)], { tokensPerMinute: 71_999, keys: 9 }).keysForTokens).toBe(2);
  });

  it('are of the kept step nearest to the rate by its ratio', () => {
    const at = (rate: number, mean: number, cost: number | null = 20) =>
      sampleStep(rate, { latency: { mean, p50: mean, p95: mean }, cost });
    const steps = [
      at(1, 100),
      at(4.5, 700, null),
      at(4.9, 900, 7),
      overloadedStep(5.2, 5),
      undecided(5, { cost: 99 }),
    ];
    const { rate, latency, users, costPerHour } = answer(steps);
    expect(latency).toBe(900);
    expect(users).toBe(Math.floor(rate.value * 20.4));
    expect(costPerHour).toBe(Math.round(rate.value * 7 * 3600));
  });
});

describe('the highest rate tried', () => {
  it('is decided by the longest of the steps within 2 % of it', () => {
    const longer = { arrivals: 900 };
    const low = (steps: readonly CapacityStep[]) => rounded(answer(steps).rate);
    expect(low([undecided(10, longer), sampleStep(9.8, { arrivals: 300 })])).toMatchObject({
      low: 10,
      high: 10,
    });
    expect(low([undecided(10, longer), sampleStep(9.79, { arrivals: 300 })])).not.toMatchObject({
      low: 10,
    });
    const unsure = sampleStep(9.8, { sure: false, growth: wide, arrivals: 901 });
    expect(answer([undecided(10, longer), unsure]).because).toBe(
      'the objectives are met at 10.0/s, the highest rate tried, but not surely',
    );
    expect(answer([undecided(10, longer), { ...unsure, arrivals: 899 }]).because).toBe(
      'it is undecided whether the objectives are met at 10.0/s, the highest rate tried: in doubt',
    );
    const grown = { growth: { value: 0.1, low: 0.04, high: 0.16 } };
    expect(low([sampleStep(5), undecided(10, grown)])).toMatchSnapshot();
  });
});

describe('the proof of an answer', () => {
  const proved = (steps: readonly CapacityStep[], precision = 0.05) =>
    answer(steps, { precision }).proved;
  const above = [overloadedStep(5.2, 5), overloadedStep(5.3, 5)];

  it('needs a kept step within one and a half of the precision below it', () => {
    const { rate } = answer([sampleStep(4.7), ...above]);
    expect([rate.value > 4.9, rate.high / rate.low < 1.05]).toEqual([true, true]);
    const bound = rate.value * (1 - 0.075);
    expect(proved([sampleStep(bound + 0.01), ...above])).toBe(true);
    expect(proved([sampleStep(bound - 0.01), ...above])).toBe(false);
    const certain = (high: number) => sampleStep(4.8, { growth: { value: 0, low: -0.01, high } });
    expect([proved([certain(0.0499), ...above]), proved([certain(0.05), ...above])]).toEqual([
      true,
      false,
    ]);
  });

  it('needs an interval of at most one and a half of the precision', () => {
    const steps = [sampleStep(4.98), overloadedStep(5.2, 5, { spread: 0.02 })];
    const { rate } = answer(steps);
    const width = rate.high / rate.low - 1;
    expect(proved(steps, width / 1.5 + 1e-6)).toBe(true);
    expect(proved(steps, width / 1.5 - 1e-6)).toBe(false);
  });

  it('names a broken step without a breach, too', () => {
    const broken = { ...lateStep(5.2, true), breaches: [] };
    expect(answer([sampleStep(4.9), broken], {}, true)).toMatchObject({
      binding: 'none',
      because: 'at 5.20/s an objective was broken',
    });
  });

  it('names the surely broken step within 15 % above it, and else the nearest above it', () => {
    const steps = [sampleStep(4.9), sampleStep(4.95), overloadedStep(10, 5, { spread: 0.01 })];
    const { rate } = answer(steps);
    const at = (factor: number, sure: boolean) => ({
      ...overloadedStep(rate.value * factor, 5, { spread: 0.5 }),
      sure,
      rate: perSecond(rate.value * factor),
      breaches: [{ bound: 'failures' as const, text: `sure: ${sure}` }],
    });
    expect(answer([...steps, at(1.05, false), at(1.14, true)]).because).toContain('sure: true');
    expect(answer([...steps, at(1.05, false), at(1.2, true)]).because).toContain('sure: false');
  });
});
