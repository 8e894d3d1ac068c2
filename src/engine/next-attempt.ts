import { drawFrom } from '../model/draw.ts';
import type { Plan } from '../model/plan.ts';
import type { Landing } from './flight.ts';
import { afterAttempt, type Next } from './retry.ts';
import type { Trip } from './trip.ts';

/** What follows an attempt that has landed; once the run is closing, nothing. */
export const nextAttempt = (
  { retry, deadlines, seed }: Plan,
  { arrival, earlier }: Trip,
  { facts, outcome, hint }: Landing,
  isClosing: boolean,
): Next => {
  const made = earlier.length + 1;
  const next = afterAttempt(
    retry,
    { outcome, isHeaded: facts.head !== null, hint, ended: facts.ended, made },
    arrival.due + (deadlines.total ?? Number.POSITIVE_INFINITY),
    () => drawFrom(seed, arrival.stage, arrival.index, made),
  );
  return next.again && isClosing ? { again: false, gaveUp: 'run-ended' } : next;
};
