import { expect, it } from 'vitest';
import { boundOutcomeOf } from '../harness/bench.ts';
import { bestArrivalRound, type ArrivalMeasurement } from './arrivals.ts';

const targetRate = 1000;
const round = (sentRate: number, rate: number, late: number): ArrivalMeasurement => ({
  sentRate,
  rate,
  cpu: 1,
  error: { p50: late, p99: late, medianP99: late, max: late, early: 0 },
});
/** In ms, with a bound of one. */
const outcome = (value: number) =>
  boundOutcomeOf({ what: '', unit: 'ms', value, bound: { kind: 'at most', value: 1 } });

it('takes the round with the least error of those in which the server sustained the rate', () => {
  const rounds = [round(1000, 1000, 3), round(940, 940, 1), round(960, 960, 2)];
  expect(bestArrivalRound(rounds, targetRate)?.error.medianP99).toBe(2);
});

it('takes no round if the server never sustained the rate', () => {
  expect(bestArrivalRound([round(900, 900, 0.1)], targetRate)).toBeNull();
});

it('a client that reads less than it is sent breaks its bound, even if what it read was early', () => {
  const behind = bestArrivalRound([round(1000, 900, 0.1), round(1000, 500, 0.1)], targetRate);
  expect(behind?.error).toEqual({
    p50: Infinity,
    p99: Infinity,
    medianP99: Infinity,
    max: Infinity,
    early: 0,
  });
  expect(outcome(behind?.error.medianP99 ?? Number.NaN)).toBe('BROKEN');
  const rounds = [round(1000, 900, 0.1), round(1000, 990, 0.5)];
  const kept = bestArrivalRound(rounds, targetRate);
  expect(outcome(kept?.error.medianP99 ?? Number.NaN)).toBe('kept');
});
