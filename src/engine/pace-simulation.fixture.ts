import { Pacer, type PaceRule } from './pacer.ts';

/** Simulates a client under a pace, millisecond by millisecond. */

/** A request that waits to be sent. */
export interface SimulatedRequest {
  readonly ready: number;
  readonly reserved: number;
  /** The tokens that are used, at most `reserved`. */
  readonly used: number;
  /** The tokens of the prompt among the used ones; none by default. */
  readonly prompt?: number;
  /** The ms from released to sent; `null` for a request that finds no connection. */
  readonly delay: number | null;
  /** The ms from sent to the end of the answer. */
  readonly duration: number;
  readonly preferred: number;
}

/** A request with its instants. */
export interface SimulatedAttempt {
  readonly request: SimulatedRequest;
  readonly key: number;
  readonly released: number;
  /** When it was sent; `null` if it was not. */
  sent: number | null;
  endedAt: number | null;
}

/** Called each millisecond while a request waits. It gets the first waiting request and all earlier ones. */
type OnWaiting = (
  now: number,
  waiting: SimulatedRequest,
  attempts: readonly SimulatedAttempt[],
) => void;

/** The time at which a simulation gives up, which happens only if the pacer never releases. */
const timeLimit = 100_000;

/** Sends the requests in order. Each is sent as soon as the pacer releases it. */
export const simulatePace = (
  rule: PaceRule,
  keys: number,
  requests: readonly SimulatedRequest[],
  onWaiting: OnWaiting = () => undefined,
): readonly SimulatedAttempt[] => {
  const pacer = new Pacer(rule, keys);
  const attempts: SimulatedAttempt[] = [];
  let upcomingEvents: { readonly at: number; readonly run: (at: number) => void }[] = [];
  const runEventsUntil = (now: number): void => {
    const due = upcomingEvents.filter(({ at }) => at <= now);
    upcomingEvents = upcomingEvents.filter(({ at }) => at > now);
    for (const { at, run } of due) run(at);
  };
  const release = (now: number, request: SimulatedRequest, key: number): void => {
    const { delay, duration, used, reserved, prompt } = request;
    const booking = pacer.book(now, key, reserved);
    const attempt: SimulatedAttempt = { request, key, released: now, sent: null, endedAt: null };
    attempts.push(attempt);
    const send = (at: number): void => {
      attempt.sent = at;
      booking.onSent(at);
    };
    const end = (at: number): void => {
      attempt.endedAt = at;
      booking.onFinished(at, delay === null ? 0 : used, prompt);
    };
    if (delay !== null) upcomingEvents.push({ at: now + delay, run: send });
    upcomingEvents.push({ at: now + (delay ?? 0) + duration, run: end });
    runEventsUntil(now);
  };
  for (let now = 0; attempts.length < requests.length || upcomingEvents.length > 0; now += 1) {
    if (now > timeLimit) throw new Error('somebody waits for ever');
    runEventsUntil(now);
    for (
      let request = requests[attempts.length];
      request !== undefined;
      request = requests[attempts.length]
    ) {
      if (request.ready > now) break;
      const { key, at } = pacer.earliestRelease(now, request.reserved, request.preferred);
      if (at > now) {
        onWaiting(now, request, attempts);
        break;
      }
      release(now, request, key);
    }
  }
  return attempts;
};
