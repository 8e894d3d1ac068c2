import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import {
  type CapacityRequest,
  highestTried,
  searchBudgetFor,
  searchTermsFor,
} from './capacity-request.ts';
import { sampleRequest } from './sample-request.fixture.ts';

const request: CapacityRequest = { ...sampleRequest, requests: '20000', yes: true };
const limited = (requestsPerMinute: number | null, tokensPerMinute: number | null = null) =>
  samplePlan({ limits: { requestsPerMinute, tokensPerMinute, limiter: null } });
const termsOf = (plan: ReturnType<typeof samplePlan>, changes: Partial<CapacityRequest> = {}) =>
  searchTermsFor(plan, { ...request, ...changes });

describe('the terms of a search for capacity', () => {
  it('begin at one request a second, and end at a thousand', () => {
    expect(termsOf(limited(null))).toEqual({
      thinkTime: 20_000,
      requestsPerMinute: null,
      tokensPerMinute: null,
      keys: 2,
      start: 1,
      top: 1000,
      precision: 0.05,
      forLatency: false,
      samples: 0,
    });
  });

  it('begin at a quarter of a low limit, which two keys have twice', () => {
    const terms = termsOf(limited(60, 9000));
    expect(terms).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: 9000, start: 0.5 });
    expect(highestTried(terms)).toEqual({ rate: 2, isDeclared: true });
    expect(highestTried(termsOf(limited(60), { top: '1/s' }))).toEqual({
      rate: 1,
      isDeclared: false,
    });
    expect(highestTried(termsOf(limited(60), { top: '2/s' })).isDeclared).toBe(true);
    expect(termsOf(limited(60_000)).start).toBe(1);
  });

  it('are those that the user gives', () => {
    const given = { start: '3/s', top: '50/s', precision: '2%', think: '5s' };
    expect(termsOf(limited(null), given)).toMatchObject({
      start: 3,
      top: 50,
      precision: 0.02,
      thinkTime: 5000,
    });
  });

  it('have the time between requests of the scenario’s users', () => {
    const [stage] = samplePlan().stages;
    const closed = (thinkTime: number) => ({
      kind: 'closed' as const,
      users: 2,
      duration: milliseconds(9000),
      thinkTime: milliseconds(thinkTime),
      rampUp: milliseconds(0),
    });
    const plan = samplePlan({ stages: [{ ...stage!, load: closed(700) }] });
    expect(termsOf(plan).thinkTime).toBe(700);
    const hasty = samplePlan({ stages: [{ ...stage!, load: closed(0) }] });
    expect(termsOf(hasty).thinkTime).toBe(20_000);
  });

  it.each<readonly [Partial<CapacityRequest>, string]>([
    [{ start: '2.5/s' }, '--start: expected a rate of at most 2/s, what --top and the declared'],
    [{ start: '0/s' }, '--start: expected '],
    [{ top: 'much' }, '--top: expected '],
    [{ top: '0/s' }, '--top: expected '],
    [{ precision: '0%' }, '--precision: expected '],
    [{ think: '0s' }, '--think: expected '],
  ])('are refused: %j', (changes, message) => {
    expect(() => termsOf(limited(60), changes)).toThrow(message);
  });

  it('have a budget that is no more than the highest rate can send in the time', () => {
    const terms = termsOf(limited(60));
    expect(searchBudgetFor(request, terms)).toEqual({ requests: 3600, seconds: 1800, steps: 40 });
    expect(searchBudgetFor({ ...request, requests: '99' }, terms).requests).toBe(99);
    for (const requests of ['0', '1.5', 'x', '1e999'])
      expect(() => searchBudgetFor({ ...request, requests }, terms)).toThrow(
        `--requests: expected a whole number of at least 1; got ${requests}`,
      );
    expect(() => searchBudgetFor({ ...request, time: '0s' }, terms)).toThrow('--time: expected ');
  });
});
