import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../../model/quantity.ts';
import { burstEnvelope } from './burst-envelope.ts';

const rule = { limit: 60, window: milliseconds(60_000) };

const admittedAt = (sent: number): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + 10),
  ended: instant(sent + 10),
  admitted: true,
});

const burstAt = (begin: number, count: number): readonly LimiterDecision[] =>
  Array.from({ length: count }, () => admittedAt(begin));

/**
 * Decides whether two bursts, `apart` windows from each other, are found to exceed the limit. The first comes after an
 * idle window; `slow` more requests follow the second one slowly.
 */
const isExceeded = (apart: number, counts: readonly [number, number], slow = 0): boolean => {
  const before = admittedAt(0);
  const second = 100_000 + apart * rule.window;
  const decisions = [
    before,
    ...burstAt(100_000, counts[0]),
    ...burstAt(second, counts[1]),
    ...Array.from({ length: slow }, (_, i) => admittedAt(second + (i + 1) * 1200)),
  ];
  const requests = decisions.map(({ sent, answered }) => ({ from: sent, until: answered }));
  return burstEnvelope(decisions, requests, rule).isExceeded;
};

it('two short bursts above the limit are a proof if no grid of windows has a boundary in both', () => {
  expect(isExceeded(1.045, [68, 68])).toBe(true);
  expect(isExceeded(1.045, [68, 60])).toBe(false);
});

it('two bursts are no proof if a boundary of windows, or a step of a refill, can be in both', () => {
  expect(isExceeded(2, [68, 68])).toBe(false);
  expect(isExceeded(1.2, [68, 68])).toBe(false);
});

it('slow requests after a burst do not weaken its proof', () => {
  expect(isExceeded(1.045, [66, 66], 3)).toBe(true);
});
