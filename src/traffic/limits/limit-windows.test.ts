import { describe, expect, it } from 'vitest';
import { readDeclaredLimits } from './declared-limits.ts';
import { readReportedLimits } from './read-limit-headers.ts';

describe('limits whose header names no time', () => {
  it('are one where Kong declares them twice, for an hour and in the draft’s headers', () => {
    const headers = {
      'x-ratelimit-limit-hour': '6000',
      'x-ratelimit-remaining-hour': '5999',
      'ratelimit-limit': '6000',
      'ratelimit-remaining': '5999',
      'ratelimit-reset': '42',
    };
    const longer = ['6,000 requests an hour'];
    expect(readDeclaredLimits(headers)).toMatchObject({ quota: null, longer, assumed: [] });
  });

  it.each([
    [
      'of a day, in the common headers',
      {
        'x-ratelimit-limit-day': '900',
        'x-ratelimit-limit': '900',
        'x-ratelimit-remaining': '7',
        'x-ratelimit-reset': '9',
      },
      [null, []],
    ],
    [
      'of a second, which is the shortest of its number',
      { 'x-ratelimit-limit-second': '10', 'x-ratelimit-limit-hour': '10', 'ratelimit-limit': '10' },
      [600, []],
    ],
    [
      'no twin: another number',
      { 'x-ratelimit-limit-day': '900', 'ratelimit-limit': '60' },
      [60, [{ unit: 'requests', text: '60 requests' }]],
    ],
    [
      'no twin: something else remains',
      {
        'x-ratelimit-limit-day': '60',
        'x-ratelimit-remaining-day': '3',
        'ratelimit-limit': '60',
        'ratelimit-remaining': '50',
      },
      [60, [{ unit: 'requests', text: '60 requests' }]],
    ],
  ])('have the time of a twin %s', (_, headers, expected) => {
    const read = readDeclaredLimits(headers)!;
    expect([read.quota?.limitRequests ?? null, read.assumed]).toEqual(expected);
  });

  it.each([
    '"conc";q=5;qu="concurrent-requests"',
    '"conc";q=5;qu=concurrent_requests',
    '"concurrency";q=5',
    '"parallel-requests";q=5;w=60',
    '"x";q=5;qu="max_parallel_requests"',
    '"in-flight";q=5',
  ])('are no rate where they count requests at the same time: %s', (policy) => {
    const name = policy.split(';')[0]!;
    const headers = { 'ratelimit-policy': policy, ratelimit: `${name};r=4` };
    expect(readDeclaredLimits(headers)).toMatchObject({ quota: null, assumed: [] });
    expect(readDeclaredLimits(headers)?.longer.join()).toMatch(/^5 [a-z ]+$/);
    expect(readReportedLimits(headers, 0).unreadable).toEqual([]);
  });
});
