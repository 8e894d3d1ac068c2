import type { DroppedCause, Outcome } from '../model/observation/outcome.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { RetriedAttempt, AttemptFacts, GaveUpReason } from '../model/observation/attempt.ts';
import type { Instant } from '../model/quantity.ts';
import type { RequestContent } from './request-content.ts';

/** An arrival under way, from its begin to its one observation, over all its attempts. */
export interface RequestLifecycle {
  readonly arrival: Arrival;
  /** When the next attempt may be sent; at first the arrival's due instant. */
  readonly due: Instant;
  readonly earlier: readonly RetriedAttempt[];
  /** Called when the user has received the answer. */
  readonly onAnswered: ((userFreeAt: Instant) => void) | undefined;
}

export interface LifecycleEnd {
  readonly facts: AttemptFacts;
  readonly earlier: readonly RetriedAttempt[];
  readonly gaveUp: GaveUpReason | null;
  readonly outcome: Outcome;
}

/** Makes the observation of a lifecycle. It is written out: a spread within a literal takes several times as long. */
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
  key: facts.key,
  released: facts.released,
  reserved: facts.reserved,
  begun: facts.begun,
  connected: facts.connected,
  connection: facts.connection,
  reconnected: facts.reconnected,
  sent: facts.sent,
  head: facts.head,
  ended: facts.ended,
  earlier,
  gaveUp,
  outcome,
});

/** Ends a request that is not sent again. The outcome of its last attempt counts; without an attempt it is dropped. */
export const endUnsent = (
  { due, earlier }: RequestLifecycle,
  now: Instant,
  key: string,
  cause: DroppedCause,
): LifecycleEnd => {
  const last = earlier.at(-1);
  if (last !== undefined && cause !== 'saturated') {
    const { outcome, wait: _wait, waitBy: _by, ...facts } = last;
    return { facts, earlier: earlier.slice(0, -1), gaveUp: cause, outcome };
  }
  const facts = {
    key,
    released: due,
    reserved: null,
    begun: now,
    connected: null,
    connection: null,
    sent: null,
    head: null,
    ended: now,
  };
  return { facts, earlier: [], gaveUp: null, outcome: { kind: 'dropped', cause } };
};
