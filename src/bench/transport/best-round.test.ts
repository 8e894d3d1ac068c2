import { expect, it } from 'vitest';
import { boundOutcomeOf } from '../harness/bench.ts';
import { bestArrivalRound, type ArrivalMeasurement } from './best-round.ts';

const pace = 1000;
const round = (sentRate: number, rate: number, late: number): ArrivalMeasurement => ({
  sentRate,
  rate,
  cpu: 1,
  error: { p50: late, p99: late, medianP99: late, max: late, early: 0 },
});
/** In ms, with a bound of one. */
const outcome = (value: number) =>
  boundOutcomeOf({ what: '', unit: 'ms', value, bound: { kind: 'at most', value: 1 } });

it('the round with the least error counts, of those in which the pace was sent', () => {
  const rounds = [round(1000, 1000, 3), round(940, 940, 1), round(960, 960, 2)];
  expect(bestArrivalRound(rounds, pace)?.error.medianP99).toBe(2);
});

it('where less was sent than the pace nothing is shown of who read it', () => {
  expect(bestArrivalRound([round(900, 900, 0.1)], pace)).toBeNull();
});

it('a client that reads less than it is sent breaks its bound, however little late what it read was', () => {
  const behind = bestArrivalRound([round(1000, 900, 0.1), round(1000, 500, 0.1)], pace);
  expect(outcome(behind?.error.medianP99 ?? Number.NaN)).toBe('BROKEN');
  const rounds = [round(1000, 900, 0.1), round(1000, 990, 0.5)];
  expect(outcome(bestArrivalRound(rounds, pace)?.error.medianP99 ?? Number.NaN)).toBe('kept');
});
