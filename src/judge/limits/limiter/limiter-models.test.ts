import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { identifyLimiter } from './identify-limiter.ts';

const declared = { limit: 10, window: milliseconds(10_000) };

const decision = (sent: number, latency: number, isAdmitted: boolean): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + latency),
  ended: instant(sent + latency),
  admitted: isAdmitted,
});

/** A burst, of which `declared.limit` are admitted, and then one request each `spacing` ms, all admitted. */
const logOf = (spacing: number): readonly LimiterDecision[] => [
  ...Array.from({ length: 14 }, (_, i) => decision(i, 700, i < declared.limit)),
  ...Array.from({ length: 30 }, (_, i) => decision(2000 + i * spacing, 700, true)),
];

const wrongOfBucket = (log: readonly LimiterDecision[]): number | undefined =>
  identifyLimiter(log, { declared, clock: null, besides: [[]] }).ranking.find(
    ({ limiter }) => limiter === 'token-bucket',
  )?.wrong;

it('a bucket explains a load at its rate, but not twice its rate, though each request alone could have come late enough', () => {
  expect(wrongOfBucket(logOf(1000))).toBe(0);
  expect(wrongOfBucket(logOf(500))).toBeGreaterThan(5);
});
