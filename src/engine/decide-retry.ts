import type { Outcome } from '../model/observation/outcome.ts';
import type { Draw } from '../model/workload/draw.ts';
import type { BrokenCause } from '../model/observation/exchange.ts';
import type { GaveUpReason, RetriedOutcome, WaitSource } from '../model/observation/attempt.ts';
import type { Retry, RetryClass } from '../model/plan/retry.ts';
import { type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import type { RetryHint } from '../traffic/traffic-handler.ts';

/**
 * Whether a failure is tried again, and when: arithmetic only. Waits that the server names are kept
 * to the millisecond and know no cap; only where it names none does our own backoff count.
 */

/** What a broken exchange counts as; `null` for what another attempt would not change, or would pay for twice. */
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

/** An attempt that has ended, as the decision needs it. */
export interface EndedAttempt {
  readonly outcome: Outcome;
  /** Whether the response head had come. */
  readonly hasHead: boolean;
  /** When to come back, as the server said; `null` where it did not. */
  readonly hint: RetryHint | null;
  readonly ended: Instant;
  /** Attempts so far, this one included. */
  readonly attemptsMade: number;
}

/** What follows an attempt: a wait and another one, or the end. */
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
 * Decides after an attempt. `deadline` is when the arrival’s total deadline passes, infinite
 * without one; `draw` is keyed by the arrival and the number of its attempts, and asked for only where
 * chance has a say.
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
  const wait = milliseconds(hint?.wait ?? backoff());
  if (ended + wait > deadline) return stopRetrying('patience');
  return { willRetry: true, outcome, wait, waitBy: hint?.by ?? 'backoff' };
};
