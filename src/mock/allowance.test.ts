import { describe, expect, it } from 'vitest';
import { mockLimitsSchema } from '../model/mock-limits.ts';
import { freshAllowance } from './allowance.ts';

const allowance = (requestsPerMinute: number | null, tokensPerMinute: number | null) =>
  freshAllowance(mockLimitsSchema.parse({ requestsPerMinute, tokensPerMinute }));

describe('an allowance', () => {
  it('names the limit that stops a request, with its level', () => {
    const of = allowance(1, 100);
    expect(of.ask(0)).toEqual({ admitted: true });
    expect(of.ask(10)).toEqual({
      admitted: false,
      cause: 'requests',
      limit: 1,
      level: { remaining: 0, resetAt: 60_000 },
    });
  });

  it('does not count a request that the token limit refuses', () => {
    const of = allowance(2, 100);
    of.ask(0);
    of.charge(1, 100);
    expect(of.ask(2)).toMatchObject({ admitted: false, cause: 'tokens', limit: 100 });
    expect(of.headers(2)).toMatchObject({ 'x-ratelimit-api_key-remaining-requests': '1' });
  });

  it('tells all four headers, the token remainder before the use of requests under way', () => {
    const of = allowance(60, 2_000_000);
    of.ask(0);
    of.ask(0);
    of.charge(5, 1234);
    expect(of.headers(6)).toEqual({
      'x-ratelimit-api_key-limit-requests': '60',
      'x-ratelimit-api_key-remaining-requests': '58',
      'x-ratelimit-api_key-limit-tokens': '2000000',
      'x-ratelimit-api_key-remaining-tokens': '1998766',
    });
  });

  it('neither holds nor mentions a limit that is switched off', () => {
    const requestsOnly = allowance(3, null);
    requestsOnly.charge(0, 1e9);
    expect(requestsOnly.ask(0)).toEqual({ admitted: true });
    expect(Object.keys(requestsOnly.headers(0))).toEqual([
      'x-ratelimit-api_key-limit-requests',
      'x-ratelimit-api_key-remaining-requests',
    ]);
    expect(allowance(null, null).headers(0)).toEqual({});
  });
});
