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

/**
 * Returns a burst, of which `declared.limit` requests are admitted, and then one admitted request every `spacing` ms.
 */
const logOf = (spacing: number): readonly LimiterDecision[] => [
  ...Array.from({ length: 14 }, (_, i) => decision(i, 700, i < declared.limit)),
  ...Array.from({ length: 30 }, (_, i) => decision(2000 + i * spacing, 700, true)),
];

const wrongOfBucket = (log: readonly LimiterDecision[]): number | undefined =>
  identifyLimiter(log, { declared, clock: null, besides: [[]] }).ranking.find(
    ({ limiter }) => limiter === 'token-bucket',
  )?.wrong;

it('a bucket explains a load at its refill rate, but not at twice that rate, though each request alone fits within its uncertainty', () => {
  expect(wrongOfBucket(logOf(1000))).toBe(0);
  expect(wrongOfBucket(logOf(500))).toBeGreaterThan(5);
});

const wrongOfCap = (log: readonly LimiterDecision[]): number | undefined =>
  identifyLimiter(log, { declared, clock: null, besides: [[]] }).ranking.find(
    ({ limiter }) => limiter === 'in-flight',
  )?.wrong;

it('a cap on requests in flight explains refusals of requests that overlap others in the gateway, not of those that overlap them only on the network', () => {
  /**
   * Returns two requests every `spacing` ms over a network of 140 ms. The first stays 60 ms longer, the second is
   * refused.
   */
  const pairs = (spacing: number): readonly LimiterDecision[] =>
    Array.from({ length: 20 }, (_, i) => [
      decision(i * 1000, 200, true),
      decision(i * 1000 + spacing, 140, false),
    ]).flat();
  expect(wrongOfCap(pairs(40))).toBe(0);
  expect(wrongOfCap(pairs(120))).toBeGreaterThan(10);
});

it('regular windows are known to be aligned to the server’s clock only if that clock is known', () => {
  const log = logOf(1000);
  const classes = (clock: { least: number; most: number } | null): readonly string[] =>
    identifyLimiter(log, { declared, clock, besides: [[]] }).ranking.map(({ limiter }) => limiter);
  expect(classes(null)).not.toContain('fixed-aligned');
  expect(classes({ least: 5, most: 9 })).toContain('fixed-aligned');
});

it('windows that begin with a request explain a refusal that overlaps the first request of the next window', () => {
  const windowOf = (begin: number): readonly LimiterDecision[] => [
    decision(begin, 100, true),
    ...Array.from({ length: declared.limit - 1 }, (_, i) => decision(begin + 110 + i, 80, true)),
    ...Array.from({ length: 3 }, (_, i) => decision(begin + 400 + i, 80, false)),
  ];
  const log = [
    ...windowOf(0),
    // This refusal was decided before the window ended, but its answer came after the next window had begun.
    decision(9990, 100, false),
    ...windowOf(10_040),
  ];
  const fit = identifyLimiter(log, { declared, clock: null, besides: [[]] }).ranking.find(
    ({ limiter }) => limiter === 'fixed-from-first',
  );
  expect(fit?.wrong).toBe(0);
});
