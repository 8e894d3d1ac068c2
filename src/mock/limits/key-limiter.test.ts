import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { resolveMockLimits, mockLimitsSchema } from '../../model/gateway/mock-limits.ts';
import { noChat } from './token-rules.ts';
import { type Admission, type KeyLimiter, openKeyLimiter } from './key-limiter.ts';

const allowance = (limits: z.input<typeof mockLimitsSchema>): KeyLimiter =>
  openKeyLimiter(resolveMockLimits(mockLimitsSchema.parse(limits)), 0);

const admit = (of: KeyLimiter, now: number) => {
  const answer = of.admit(now);
  if (!answer.admitted) throw new Error(`expected to be admitted; refused by ${answer.cause}`);
  return answer;
};
/** Charges a chat that used this many tokens. */
const spend = (permit: Extract<Admission, { admitted: true }>, at: number, tokens: number): void =>
  permit.charge(at, { cachedTokens: 0, written: tokens, whole: tokens, isCut: false });
/** Reserves this many tokens for the answer of a chat without a prompt. */
const reserve = (permit: Extract<Admission, { admitted: true }>, at: number, tokens: number) =>
  permit.reserve(at, { ...noChat, maxTokens: tokens });
const rest = ({ headers }: Admission): string | undefined =>
  headers['x-ratelimit-api_key-remaining-requests'];

describe('the limits of a key', () => {
  it('name the exceeded limit, with its level', () => {
    const of = allowance({ requestsPerMinute: 1 });
    admit(of, 0);
    expect(of.admit(10)).toMatchObject({
      admitted: false,
      cause: 'requests',
      limit: 1,
      level: { remaining: 0, resetAt: 60_000 },
    });
  });

  it('do not count a request that the token limit refuses', () => {
    const of = allowance({ requestsPerMinute: 2, tokensPerMinute: 100 });
    spend(admit(of, 0), 1, 100);
    expect(of.admit(2)).toMatchObject({ admitted: false, cause: 'tokens', limit: 100 });
    expect(of.levels(2)).toMatchObject({ requests: { remaining: 1 }, tokens: { remaining: 0 } });
  });

  it('set all four headers, with the tokens of running requests not yet counted', () => {
    const of = allowance({});
    spend(admit(of, 0), 5, 1234);
    expect(of.admit(6).headers).toEqual({
      'x-ratelimit-api_key-limit-requests': '60',
      'x-ratelimit-api_key-remaining-requests': '58',
      'x-ratelimit-api_key-limit-tokens': '2000000',
      'x-ratelimit-api_key-remaining-tokens': '1998766',
    });
  });

  it('neither apply nor mention a disabled limit', () => {
    const requestsOnly = allowance({ requestsPerMinute: 3, tokensPerMinute: null });
    spend(admit(requestsOnly, 0), 0, 1e9);
    expect(Object.keys(admit(requestsOnly, 0).headers)).toEqual([
      'x-ratelimit-api_key-limit-requests',
      'x-ratelimit-api_key-remaining-requests',
    ]);
    expect(allowance({ requestsPerMinute: null, tokensPerMinute: null }).admit(0).headers).toEqual(
      {},
    );
  });

  it('cap requests in flight and free a place when one ends', () => {
    const of = allowance({ algorithm: 'in-flight', inFlight: 3 });
    const permits = [0, 0, 0].map((now) => admit(of, now));
    expect(of.admit(0)).toMatchObject({ admitted: false, cause: 'in-flight', limit: 3 });
    permits[1]!.end();
    expect(of.admit(0).admitted).toBe(true);
    expect(of.admit(0).admitted).toBe(false);
  });

  it('are multiplied by workers that do not share counters', () => {
    const of = allowance({ requestsPerMinute: 60, workers: 2 });
    const admitted = Array.from({ length: 500 }, () => of.admit(0)).filter((each) => each.admitted);
    expect(admitted).toHaveLength(120);
    expect(admitted.slice(0, 4).map(rest)).toEqual(['59', '59', '58', '58']);
  });

  it('are those of the worker that has the connection, if workers do not take turns', () => {
    const of = allowance({ requestsPerMinute: 3, workers: 2, workersBy: 'connections' });
    const admittedOn = (connection: number) =>
      Array.from({ length: 5 }, () => of.admit(0, undefined, connection)).filter(
        (each) => each.admitted,
      );
    expect(admittedOn(7)).toHaveLength(3);
    expect(of.headers(0, 1)['x-ratelimit-api_key-remaining-requests']).toBe('0');
    expect(admittedOn(2)).toHaveLength(3);
    expect(admittedOn(4)).toHaveLength(0);
  });

  it('count hidden requests too', () => {
    const of = allowance({ requestsPerMinute: 60, hiddenRequests: 6 });
    admit(of, 0);
    expect(rest(admit(of, 30_000))).toBe('55');
  });
});

describe('the accounting of tokens', () => {
  const of = (accounting: 'after' | 'reserve' | 'reserve-reconcile'): KeyLimiter =>
    allowance({ tokensPerMinute: 1000, accounting });

  it('admits too much under concurrency if tokens are charged after the answer', () => {
    const key = of('after');
    const permits = [0, 0, 0].map((now) => admit(key, now));
    expect(permits.map((permit) => reserve(permit, 0, 900))).toEqual([null, null, null]);
    for (const permit of permits) spend(permit, 1, 900);
    expect(key.admit(2)).toMatchObject({ admitted: false, cause: 'tokens' });
  });

  it('reserves tokens before the answer and keeps them, however few were used', () => {
    const key = of('reserve');
    const first = admit(key, 0);
    expect(reserve(first, 0, 900)).toBeNull();
    spend(first, 1, 10);
    expect(key.levels(2).tokens?.remaining).toBe(100);
    expect(reserve(admit(key, 2), 2, 101)).toMatchObject({ cause: 'tokens' });
  });

  it('corrects the reservation by the tokens used, and counts no request that does not fit', () => {
    const key = of('reserve-reconcile');
    const first = admit(key, 0);
    reserve(first, 0, 900);
    const second = admit(key, 0);
    expect(reserve(second, 0, 200)).toMatchObject({ admitted: false, cause: 'tokens' });
    expect(key.levels(0)).toMatchObject({
      requests: { remaining: 59 },
      tokens: { remaining: 100 },
    });
    spend(first, 1, 10);
    expect(key.levels(1).tokens?.remaining).toBe(990);
  });
});

describe('the known bugs', () => {
  type Bugs = NonNullable<z.input<typeof mockLimitsSchema>['bugs']>;
  const flawed = (bugs: Bugs, other: z.input<typeof mockLimitsSchema> = {}) =>
    allowance({ ...other, bugs });

  it.each([
    [['staleTokenCounter'], false],
    [[], true],
  ] as const)(
    'with %j a client that keeps sending is admitted in the next window: %s',
    (bugs, isLetIn) => {
      const of = flawed([...bugs], { tokensPerMinute: 100 });
      spend(admit(of, 0), 0, 60);
      spend(admit(of, 40_000), 40_000, 60);
      expect(of.admit(70_000).admitted).toBe(isLetIn);
      expect(of.admit(40_000 + 3 * 60_000).admitted).toBe(true);
    },
  );

  it.each([
    [['inFlightRefusalsCount'], 57],
    [[], 59],
  ] as const)('with %j two refusals by the cap leave %i requests', (bugs, left) => {
    const of = flawed([...bugs], { inFlight: 1 });
    admit(of, 0);
    of.admit(0);
    of.admit(0);
    expect(of.levels(0).requests?.remaining).toBe(left);
  });

  it.each([
    [['lostUpdates'], 100, ['59', '59', '59']],
    [[], 60, ['59', '58', '57']],
  ] as const)('with %j a hundred at once let %i in', (bugs, count, rests) => {
    const of = flawed([...bugs]);
    const all = Array.from({ length: 100 }, () => of.admit(0)).filter((each) => each.admitted);
    expect(all).toHaveLength(count);
    expect(all.slice(0, 3).map(rest)).toEqual(rests);
    expect(of.admit(30).admitted).toBe(false);
  });
});
