import type { DroppedCause, Outcome } from '../model/observation/outcome.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import type {
  RetriedAttempt,
  AttemptFacts,
  GaveUpReason,
  RetriedOutcome,
  WaitSource,
} from '../model/observation/attempt.ts';
import { type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import type { RequestContent } from './request-content.ts';
import type { BrokenCause } from '../model/observation/exchange.ts';
import { type Draw, drawFrom } from '../model/workload/draw.ts';
import type { Plan } from '../model/plan/plan.ts';
import { retryOf, stageStream } from '../model/plan/population.ts';
import type { Retry, RetryClass } from '../model/plan/retry.ts';
import type { RetryHint } from '../traffic/traffic-handler.ts';
import type { AttemptResult } from './in-flight-attempt.ts';

/** An arrival in progress with all its attempts, from the start of the arrival to its single observation. */
export interface RequestLifecycle {
  readonly arrival: Arrival;
  /** When the next attempt may be sent. For the first attempt, this is the due instant of the arrival. */
  readonly due: Instant;
  readonly earlier: readonly RetriedAttempt[];
  /** Called when the user has received the answer. */
  readonly onAnswered: ((userFreeAt: Instant) => void) | undefined;
}

/**
 * Returns the earliest due instant of the requests in flight and of `waiting`. All requests that were due before this
 * instant have ended. Returns `now` if no request is in flight or waits.
 */
export const endedBefore = (
  now: Instant,
  inFlight: Iterable<{ readonly lifecycle: RequestLifecycle }>,
  waiting: readonly (Instant | null)[] = [],
): Instant => {
  let first = now;
  for (const due of waiting) if (due !== null && due < first) first = due;
  // This loop makes no list: it runs four times a second, and thousands of requests may be in flight.
  for (const { lifecycle } of inFlight)
    if (lifecycle.arrival.due < first) first = lifecycle.arrival.due;
  return first;
};

export interface LifecycleEnd {
  readonly facts: AttemptFacts;
  readonly earlier: readonly RetriedAttempt[];
  readonly gaveUp: GaveUpReason | null;
  readonly outcome: Outcome;
}

/**
 * Makes the observation of a request. The fields are listed one by one, and an absent field is undefined, because a
 * spread within an object literal is several times slower.
 */
export const observationOf = (
  { arrival }: RequestLifecycle,
  { requestId, traffic, model, hangUp }: RequestContent,
  { facts, earlier, gaveUp, outcome }: LifecycleEnd,
): Observation => ({
  requestId,
  stage: arrival.stage,
  index: arrival.index,
  traffic: traffic.kind,
  model,
  entry: traffic.name,
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
  size: facts.size,
  ended: facts.ended,
  earlier,
  gaveUp,
  outcome,
  toCancel: hangUp === null ? undefined : true,
});

/**
 * Ends a request that is not sent again. The outcome is the outcome of the last attempt. If the request had no attempt,
 * or if `cause` is `saturated`, the outcome is `dropped`.
 */
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

/**
 * The retry class of each cause of a broken exchange; `null` if another attempt cannot help, or if the server would
 * charge for both attempts.
 */
const brokenClasses = {
  'connect-refused': 'connect',
  'connect-unreachable': 'connect',
  'connect-reset': 'connect',
  'name-not-resolved': 'connect',
  'deadline-connect': 'connect',
  proxy: 'connect',
  tls: null,
  'deadline-first-token': 'unanswered',
  reset: 'unanswered',
  'closed-early': 'unanswered',
  'closed-on-reuse': 'unanswered',
  'deadline-idle': null,
  'deadline-total': null,
  protocol: null,
  'too-large': null,
  'out-of-sockets': null,
  aborted: null,
  internal: null,
} as const satisfies Record<BrokenCause, RetryClass | null>;

const classOf = (outcome: RetriedOutcome, hasHead: boolean): RetryClass | null => {
  switch (outcome.kind) {
    case 'limited':
      return 'limited';
    case 'refused':
      return outcome.refusal.status >= 500 ? 'server-error' : null;
    case 'broken':
      return hasHead ? null : brokenClasses[outcome.cause];
  }
};

export interface EndedAttempt {
  readonly outcome: Outcome;
  readonly hasHead: boolean;
  /** The wait that the server asks for; `null` if the server asks for no wait. */
  readonly hint: RetryHint | null;
  readonly ended: Instant;
  /** The number of attempts of the arrival, including this attempt. */
  readonly attemptsMade: number;
}

/** The next step after an attempt: a wait and another attempt, or the end of the request. */
export type RetryDecision =
  | {
      readonly willRetry: true;
      readonly outcome: RetriedOutcome;
      readonly wait: Milliseconds;
      readonly waitBy: WaitSource;
    }
  | { readonly willRetry: false; readonly gaveUp: GaveUpReason | null };

const stopRetrying = (gaveUp: GaveUpReason | null): RetryDecision => ({ willRetry: false, gaveUp });

const isRetryable = (outcome: Outcome): outcome is RetriedOutcome =>
  outcome.kind === 'limited' || outcome.kind === 'refused' || outcome.kind === 'broken';

/**
 * Decides whether and when a request is retried after an attempt. If the server names a wait above 0, the client waits
 * for exactly this time, without a cap. Otherwise, or if the plan ignores such waits, the wait is random, up to
 * min(cap, base·2^n). `deadline` is the instant of the arrival's total deadline; infinite without a deadline.
 */
export const decideRetry = (
  policy: Retry | null,
  { outcome, hasHead, hint, ended, attemptsMade }: EndedAttempt,
  deadline: number,
  draw: () => Draw,
): RetryDecision => {
  if (policy === null || !isRetryable(outcome)) return stopRetrying(null);
  const kind = classOf(outcome, hasHead);
  if (kind === null || !policy.on.includes(kind)) return stopRetrying(null);
  if (attemptsMade >= policy.attempts) return stopRetrying('attempts');
  const backoff = (): number =>
    draw().uniform() * Math.min(policy.cap, policy.base * 2 ** (attemptsMade - 1));
  // If the server names a moment in the past or a wait of 0, the client ignores this hint. Immediate retries would use
  // up all attempts at once.
  const isUsed = hint !== null && hint.wait > 0 && policy.ignoresWaits !== true;
  const named = isUsed ? hint : null;
  const wait = milliseconds(named?.wait ?? backoff());
  if (ended + wait > deadline) return stopRetrying('patience');
  return { willRetry: true, outcome, wait, waitBy: named?.by ?? 'backoff' };
};

/** Decides what follows an attempt that has just ended. While the run is closing, no request is retried. */
export const decideNextAttempt = (
  plan: Plan,
  { arrival, earlier }: RequestLifecycle,
  { facts, outcome, retryHint }: AttemptResult,
  isClosing: boolean,
): RetryDecision => {
  const { deadlines, seed } = plan;
  const attemptsMade = earlier.length + 1;
  const next = decideRetry(
    retryOf(plan, arrival.stage),
    { outcome, hasHead: facts.head !== null, hint: retryHint, ended: facts.ended, attemptsMade },
    arrival.due + (deadlines.total ?? Number.POSITIVE_INFINITY),
    () => drawFrom(seed, stageStream(plan, arrival.stage), arrival.index, attemptsMade),
  );
  return next.willRetry && isClosing ? stopRetrying('run-ended') : next;
};
