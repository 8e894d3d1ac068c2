import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { isDelayed, usualCalmAnswer } from './answer-delays.ts';

const rule = { limit: 10, window: milliseconds(10_000) };

const admitted = (sent: number, latency: number): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + latency),
  ended: instant(sent + latency),
  admitted: true,
});

/** Ten requests at an even pace. Each takes 100 ms. */
const calm = Array.from({ length: 10 }, (_, i) => admitted(i * 1200, 100));
/** The instant at which the load begins, in ms. */
const loadFrom = 20_000;

it('a load is delayed if several answers in turn take longer than those at an even pace', () => {
  const delayed = Array.from({ length: 6 }, (_, i) => admitted(loadFrom + i * 1000, 990));
  expect(isDelayed([...calm, ...delayed], rule)).toBe(true);
});

it('a server that answers one request after the other is not taken for a limiter that delays', () => {
  const queued = Array.from({ length: 6 }, (_, i) => admitted(loadFrom + i, 100 * (i + 1)));
  expect(isDelayed([...calm, ...queued], rule)).toBe(false);
});

it('two late answers do not count as a delay', () => {
  const load = Array.from({ length: 20 }, (_, i) =>
    admitted(loadFrom + i * 200, i % 10 === 0 ? 2000 : 100),
  );
  expect(isDelayed([...calm, ...load], rule)).toBe(false);
});

it('without an answer at an even pace no load counts as delayed', () => {
  expect(isDelayed([], rule)).toBe(false);
});

it('a machine that stalls once is not taken for a limiter that delays, however many requests are late', () => {
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

/**
 * A load of 60 requests: two at the end of each group of 20 take 4 s, longer than any request at an even pace; the
 * others take 100 ms.
 */
const waitingLoad = Array.from({ length: 60 }, (_, i) =>
  admitted(loadFrom + i * 500, i % 20 > 17 ? 4000 : 100),
);

it('repeated answers later than all at an even pace are a delay, even if requests between refusals are also slow', () => {
  const refusals = Array.from({ length: 12 }, (_, i) => refused(loadFrom + 250 + i * 1000, 100));
  const slowly = [refused(60_000, 100), admitted(62_000, 4000)];
  expect(isDelayed([...calm, ...waitingLoad, ...refusals, ...slowly], rule)).toBe(true);
});

it('how fast a server answers one after the other is the mean of its eight fastest answers', () => {
  // Eight answers 40 ms apart.
  const fast = Array.from({ length: 8 }, (_, i) => admitted(loadFrom, 40 * (i + 1)));
  // Three bursts, each answered every 100 ms, the usual time of an answer.
  const bursts = [25_000, 29_000, 33_000].flatMap((at) =>
    Array.from({ length: 20 }, (_, i) => admitted(at + i, 100 * (i + 1))),
  );
  expect(isDelayed([...calm, ...bursts], rule)).toBe(false);
  expect(isDelayed([...calm, ...fast, ...bursts], rule)).toBe(true);
  expect(isDelayed([...calm, ...fast.slice(1), ...bursts], rule)).toBe(false);
});

it('the usual answer is one that nine of ten at an even pace do not exceed, if there are five', () => {
  const evenly = (latencies: readonly number[]) =>
    latencies.map((latency, i) => admitted(i * 2000, latency));
  expect(usualCalmAnswer(evenly([50, 10, 40, 20, 30]), rule)).toBe(50);
  expect(usualCalmAnswer(evenly([50, 10, 40, 20]), rule)).toBe(0);
  const twenty = Array.from({ length: 20 }, (_, i) => 10 * (i + 1));
  expect(usualCalmAnswer(evenly(twenty), rule)).toBe(190);
  // Soon after another, or within a window after a refusal, an answer is not at an even pace.
  const soon = admitted(10_000, 900);
  const sorted = [...evenly([50, 10, 40, 20, 30]), { ...soon, sent: instant(9029) }];
  expect(usualCalmAnswer(sorted, rule)).toBe(50);
  expect(usualCalmAnswer([...evenly([5, 5, 5, 5, 5]), admitted(9005, 900)], rule)).toBe(900);
  const after = (wait: number) =>
    usualCalmAnswer(
      [...evenly([5, 5, 5, 5, 5]), refused(20_000, 100), admitted(20_100 + wait, 900)],
      rule,
    );
  expect([after(9999), after(10_000)]).toEqual([5, 900]);
});
