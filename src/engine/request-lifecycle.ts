import type { DroppedCause, Outcome } from '../model/observation/outcome.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { RetriedAttempt, AttemptFacts, GaveUpReason } from '../model/observation/attempt.ts';
import type { Instant } from '../model/quantity.ts';
import type { RequestContent } from './request-content.ts';

/** An arrival under way, from its begin to its one observation, over as many attempts as it takes. */
export interface RequestLifecycle {
  readonly arrival: Arrival;
  /** When the next attempt may go; at first the arrival's due instant. */
  readonly due: Instant;
  readonly earlier: readonly RetriedAttempt[];
  /** Told when its user has the answer. */
  readonly onAnswered: ((free: Instant) => void) | undefined;
}

/** How a trip ended. */
export interface LifecycleEnd {
  readonly facts: AttemptFacts;
  readonly earlier: readonly RetriedAttempt[];
  readonly gaveUp: GaveUpReason | null;
  readonly outcome: Outcome;
}

/** The observation of a trip: of its content, only what is written. */
export const observationOf = (
  { arrival }: RequestLifecycle,
  { requestId, traffic, model }: RequestContent,
  { facts, earlier, gaveUp, outcome }: LifecycleEnd,
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
export const endWhileWaiting = (
  lifecycle: RequestLifecycle,
  now: Instant,
  key: string,
  reason: Exclude<DroppedCause, 'saturated'>,
): LifecycleEnd => {
  const last = lifecycle.earlier.at(-1);
  if (last === undefined) return endDropped(lifecycle, now, key, reason);
  const { outcome, wait: _wait, waitBy: _by, ...facts } = last;
  return { facts, earlier: lifecycle.earlier.slice(0, -1), gaveUp: reason, outcome };
};

/** The end of a trip that was never begun. */
export const endDropped = (
  { due }: RequestLifecycle,
  now: Instant,
  key: string,
  cause: DroppedCause,
): LifecycleEnd => ({
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
