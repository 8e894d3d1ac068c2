import type { Arrival } from '../model/arrival.ts';
import type { DroppedCause, Observation, Outcome } from '../model/observation.ts';
import type { Attempt, AttemptFacts, GaveUp } from '../model/attempt.ts';
import type { Instant } from '../model/quantity.ts';
import type { Content } from './content.ts';

/** An arrival under way, from its begin to its one observation, over as many attempts as it takes. */
export interface Trip {
  readonly arrival: Arrival;
  /** When the next attempt may go; at first the arrival's due instant. */
  readonly due: Instant;
  readonly earlier: readonly Attempt[];
  /** Told when its user has the answer. */
  readonly returned: ((free: Instant) => void) | undefined;
}

/** How a trip ended. */
export interface End {
  readonly facts: AttemptFacts;
  readonly earlier: readonly Attempt[];
  readonly gaveUp: GaveUp | null;
  readonly outcome: Outcome;
}

/** The observation of a trip: of its content, only what is written. */
export const observationOf = (
  { arrival }: Trip,
  { requestId, traffic, model }: Content,
  { facts, earlier, gaveUp, outcome }: End,
): Observation => ({
  requestId,
  stage: arrival.stage,
  index: arrival.index,
  traffic: traffic.kind,
  model,
  ...(traffic.name === undefined ? {} : { entry: traffic.name }),
  due: arrival.due,
  ...facts,
  earlier,
  gaveUp,
  outcome,
});

/** The end of a trip while it waits: its last attempt decides, and without one it was dropped. */
export const waitingEnd = (
  trip: Trip,
  now: Instant,
  key: string,
  why: Exclude<DroppedCause, 'saturated'>,
): End => {
  const last = trip.earlier.at(-1);
  if (last === undefined) return droppedEnd(trip, now, key, why);
  const { outcome, wait: _wait, waitBy: _by, ...facts } = last;
  return { facts, earlier: trip.earlier.slice(0, -1), gaveUp: why, outcome };
};

/** The end of a trip that was never begun. */
export const droppedEnd = ({ due }: Trip, now: Instant, key: string, cause: DroppedCause): End => ({
  facts: {
    key,
    released: due,
    reserved: null,
    begun: now,
    connected: null,
    connection: null,
    sent: null,
    head: null,
    ended: now,
  },
  earlier: [],
  gaveUp: null,
  outcome: { kind: 'dropped', cause },
});
