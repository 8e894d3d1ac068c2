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

/** Two bursts, the first after an idle window, so far apart in windows, and requests that follow the second one slowly. */
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

it('two short bursts above the limit at phases that no boundaries share are a proof', () => {
  expect(isExceeded(1.045, [68, 68])).toBe(true);
  expect(isExceeded(1.045, [68, 60])).toBe(false);
});

it('boundaries of windows, or steps of a refill, that can be in both bursts excuse them', () => {
  expect(isExceeded(2, [68, 68])).toBe(false);
  expect(isExceeded(1.2, [68, 68])).toBe(false);
});

it('what follows a burst slowly takes nothing from its proof: its beginning has no room for a boundary', () => {
  expect(isExceeded(1.045, [66, 66], 3)).toBe(true);
});
