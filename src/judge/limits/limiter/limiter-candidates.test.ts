import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { decisionHistoriesOf } from './decision-history.ts';
import {
  areStaysSeen,
  inFlightCaps,
  limiterCandidates,
  phasesAround,
} from './limiter-candidates.ts';

const decision = (sent: number, took: number, admitted: boolean): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + took),
  ended: instant(sent + took),
  admitted,
});

/** Refusals over a network whose round trip is 140 to 159 ms. */
const refusals = Array.from({ length: 40 }, (_, i) => decision(i * 1000, 140 + (i % 20), false));

/** Returns `size` requests sent at once that spend the same time on the network and `stay` ms in the gateway. */
const burst = (size: number, stay: number): readonly LimiterDecision[] =>
  Array.from({ length: size }, (_, i) => decision(100_000, 140 + (i % 20) + stay, true));

const capsOf = (log: readonly LimiterDecision[]): readonly number[] =>
  inFlightCaps(decisionHistoriesOf(log, [[]])[0]!);

it('a cap is possible up to what was in flight at once', () => {
  expect(capsOf([...refusals, ...burst(4, 0)])).toStrictEqual([1, 2, 3, 4]);
});

it('a cap is ruled out if the requests stayed longer in total than it allows in that span', () => {
  // 40 requests stay 30 ms each, all within at most 50 ms.
  const [smallest] = capsOf([...refusals, ...burst(40, 30)]);
  expect(smallest).toBeGreaterThan(5);
  expect(smallest).toBeLessThanOrEqual(24);
});

it('a cap is possible that lets each request in when another one leaves', () => {
  for (const cap of [1, 2, 5]) {
    const served = Array.from({ length: 60 }, (_, i) =>
      decision(100_000 + Math.floor(i / cap) * 200, 150 + 200, true),
    );
    expect(capsOf([...refusals, ...served])[0], String(cap)).toBeLessThanOrEqual(cap);
  }
});

it('too few refusals do not show the time of the network, and rule no cap out', () => {
  expect(capsOf([...refusals.slice(0, 5), ...burst(40, 30)])[0]).toBe(1);
});

it('stays are seen where most answers take longer than nearly all refusals', () => {
  expect(areStaysSeen([...refusals, ...burst(10, 30)])).toBe(true);
  expect(areStaysSeen([...refusals, ...burst(10, 5)])).toBe(false);
});

it('phases around a given phase lie evenly on both sides of it, at less than the given distance', () => {
  expect(phasesAround(100, 8)).toEqual(Array.from({ length: 15 }, (_, i) => 93 + i));
});

it('a small bucket is tried with sizes up to three above and below the largest excess over its refill', () => {
  const sizes = (moments: readonly number[]): readonly (number | undefined)[] => {
    const [history] = decisionHistoriesOf(
      moments.map((sent) => decision(sent, 2, true)),
      [[]],
    );
    const context = { limit: 60, window: milliseconds(60_000), besides: [[]], clock: null };
    return [
      ...new Set(limiterCandidates('burst-bucket', history!, context).map((each) => each.burst)),
    ];
  };
  expect(sizes(Array.from({ length: 10 }, () => 5))).toEqual([7, 8, 9, 10, 11, 12, 13]);
  // Five of the ten come back in the five seconds before the other four.
  expect(sizes([...Array.from({ length: 10 }, () => 5), 5005, 5005, 5005, 5005])).toEqual([
    7, 8, 9, 10, 11, 12, 13,
  ]);
  expect(sizes([0, 0])).toEqual([1, 2, 3, 4, 5]);
});

it('of very many decisions, few phases of a refill are tried', () => {
  const tried = (count: number): number => {
    const log = Array.from({ length: count }, (_, i) => decision(i * 37.7, 3, i % 3 > 0));
    const [history] = decisionHistoriesOf(log, [[]]);
    const context = { limit: 12, window: milliseconds(4000), besides: [[]], clock: null };
    return limiterCandidates('stepped-bucket', history!, context).length;
  };
  expect(tried(40)).toBeGreaterThan(30);
  expect(tried(4000)).toBeLessThan(1000);
});
