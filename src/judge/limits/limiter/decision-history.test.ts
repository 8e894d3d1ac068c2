import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import { decisionHistoriesOf } from './decision-history.ts';

const decision = (sent: number, answered: number, admitted: boolean): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(answered),
  admitted,
});

/** A refusal takes 8 ms. The admission at 10 ms overlaps the refusal before it, and takes 12 ms of service. */
const log = [
  decision(10, 30, true),
  decision(0, 8, false),
  decision(40, 50, true),
  decision(9, 17, false),
];
const [atOnce, waiting] = decisionHistoriesOf(log, [[]]);

it('a history is in the order of the middles, without the time of service', () => {
  expect(atOnce).toMatchObject({
    indexes: [1, 3, 0, 2],
    // 10 to 18 ms, and 40 to 48 ms.
    middles: Float64Array.of(14, 44),
    sent: Float64Array.of(10, 40),
    refusals: { sent: Float64Array.of(0, 9), answered: Float64Array.of(8, 17) },
    slack: 4,
  });
  expect(decisionHistoriesOf(log, [[]])).toHaveLength(2);
});

it('before a refusal counts what possibly came first, before an admission what certainly did', () => {
  const counts = atOnce!.priors.map(({ admitted, refusedSince }) => [admitted, refusedSince(0)]);
  expect(counts).toEqual([
    [0, 0],
    // It was answered at 17 ms, after the admission of 10 ms was sent.
    [1, 1],
    // It was sent at 10 ms, before the refusal of 9 ms was answered.
    [0, 1],
    [1, 2],
  ]);
  expect(atOnce!.priors[2]!.refusedSince(8.5)).toBe(0);
  expect(atOnce!.priors[3]!.refusedSince(8.5)).toBe(1);
});

it('an admission that may have waited is decided as late as the fastest one would be', () => {
  // The fastest admission takes 10 ms, so that of 30 ms was decided from 20 ms on, after both refusals.
  expect(waiting!.middles).toEqual(Float64Array.of(24, 44));
  expect(waiting!.priors.map(({ refusedSince }) => refusedSince(0))).toEqual([0, 1, 2, 2]);
});
