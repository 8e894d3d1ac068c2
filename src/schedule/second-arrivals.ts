import { type Instant, instant } from '../model/quantity.ts';
import type { Arrival } from '../model/workload/arrival.ts';

/**
 * Delays the arrivals that `isSecond` chooses by `gap` ms, and yields all arrivals in the order of their new due
 * instants. The given arrivals must be in the order of their due instants.
 */
export function* withSecondArrivals(
  arrivals: Iterable<Arrival>,
  gap: number,
  isSecond: (arrival: Arrival) => boolean,
): Generator<Arrival, void> {
  const late: Arrival[] = [];
  const takeUntil = function* (until: number): Generator<Arrival, void> {
    while (late.length > 0 && late[0]!.due <= until) yield late.shift()!;
  };
  for (const arrival of arrivals) {
    yield* takeUntil(arrival.due);
    if (isSecond(arrival)) late.push({ ...arrival, due: laterBy(arrival.due, gap) });
    else yield arrival;
  }
  yield* takeUntil(Number.POSITIVE_INFINITY);
}

const laterBy = (due: Instant, gap: number): Instant => instant(due + gap);
