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

it('a machine that stalls for a moment delays no load, however many requests that meets', () => {
  const stalled = Array.from({ length: 20 }, (_, i) => admitted(loadFrom + i, 1500 - i));
  expect(isDelayed([...calm, ...stalled], rule)).toBe(false);
});

const refused = (sent: number, latency: number): LimiterDecision => ({
  ...admitted(sent, latency),
  admitted: false,
});

const delayedLoad = Array.from({ length: 12 }, (_, i) =>
  admitted(loadFrom + i * 1000, i % 3 === 0 ? 990 : 100),
);

it.each([
  ['like admissions: a busy machine', 3, false],
  ['never: a limiter', 1_000, true],
  ['always, once a client has waited: a limiter', 1, true],
])('refusals are late %s', (_, every, isByLimiter) => {
  const refusals = Array.from({ length: 12 }, (__, i) =>
    refused(loadFrom + 500 + i * 1000, (i + 1) % every === 0 ? 990 : 100),
  );
  expect(isDelayed([...calm, ...delayedLoad, ...refusals], rule)).toBe(isByLimiter);
});

/** Of a load a few requests, in three groups apart, wait longer than any calm one; all others are prompt. */
const waitingLoad = Array.from({ length: 60 }, (_, i) =>
  admitted(loadFrom + i * 500, i % 20 > 17 ? 4000 : 100),
);

it('a few answers later than all calm ones, again and again, are a delay, however slowly the requests between refusals came', () => {
  const refusals = Array.from({ length: 12 }, (_, i) => refused(loadFrom + 250 + i * 1000, 100));
  const slowly = [refused(60_000, 100), admitted(62_000, 4000)];
  expect(isDelayed([...calm, ...waitingLoad, ...refusals, ...slowly], rule)).toBe(true);
});
