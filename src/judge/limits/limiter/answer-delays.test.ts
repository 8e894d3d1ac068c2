import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { isDelayed } from './answer-delays.ts';

const rule = { limit: 10, window: milliseconds(10_000) };

const admitted = (sent: number, latency: number): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + latency),
  ended: instant(sent + latency),
  admitted: true,
});

/** Ten requests at an even pace, which take 100 ms. */
const calm = Array.from({ length: 10 }, (_, i) => admitted(i * 1200, 100));
const loadFrom = 20_000;

it('a load is delayed if its answers take longer one after the other than calm ones', () => {
  const delayed = Array.from({ length: 6 }, (_, i) => admitted(loadFrom + i * 1000, 990));
  expect(isDelayed([...calm, ...delayed], rule)).toBe(true);
});

it('a server that answers one request after the other delays no load', () => {
  const queued = Array.from({ length: 6 }, (_, i) => admitted(loadFrom + i, 100 * (i + 1)));
  expect(isDelayed([...calm, ...queued], rule)).toBe(false);
});

it('two late answers are no delay', () => {
  const load = Array.from({ length: 20 }, (_, i) =>
    admitted(loadFrom + i * 200, i % 10 === 0 ? 2000 : 100),
  );
  expect(isDelayed([...calm, ...load], rule)).toBe(false);
});

it('without a calm answer nothing is delayed', () => {
  expect(isDelayed([], rule)).toBe(false);
});
