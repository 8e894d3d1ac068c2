import type { Draw } from '../model/draw.ts';
import type { BrokenCause } from '../model/exchange.ts';
import type { Outcome } from '../model/observation.ts';
import type { GaveUp, RetriedOutcome, WaitSource } from '../model/attempt.ts';
import type { Retry, RetryClass } from '../model/retry.ts';
import { type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import type { Hint } from '../traffic/kind.ts';

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

const classOf = (outcome: RetriedOutcome, isHeaded: boolean): RetryClass | null => {
  switch (outcome.kind) {
    case 'limited':
      return 'limited';
    case 'refused':
      return outcome.refusal.status >= 500 ? 'server-error' : null;
    case 'broken':
      return isHeaded ? null : brokenClasses[outcome.cause];
  }
};

/** An attempt that has ended, as the decision needs it. */
export interface Tried {
  readonly outcome: Outcome;
  /** Whether the response head had come. */
  readonly isHeaded: boolean;
  /** When to come back, as the server said; `null` where it did not. */
  readonly hint: Hint | null;
  readonly ended: Instant;
  /** Attempts so far, this one included. */
  readonly made: number;
}

/** What follows an attempt: a wait and another one, or the end. */
export type Next =
  | {
      readonly again: true;
      readonly outcome: RetriedOutcome;
      readonly wait: Milliseconds;
      readonly waitBy: WaitSource;
    }
  | { readonly again: false; readonly gaveUp: GaveUp | null };

const noMore = (gaveUp: GaveUp | null): Next => ({ again: false, gaveUp });

const isRetried = (outcome: Outcome): outcome is RetriedOutcome =>
  outcome.kind === 'limited' || outcome.kind === 'refused' || outcome.kind === 'broken';

/**
 * Decides after an attempt. `patienceEnds` is when the arrival’s total deadline passes, infinite
 * without one; `draw` is keyed by the arrival and the number of its attempts, and asked for only where
 * chance has a say.
 */
export const afterAttempt = (
  policy: Retry | null,
  { outcome, isHeaded, hint, ended, made }: Tried,
  patienceEnds: number,
  draw: () => Draw,
): Next => {
  if (policy === null || !isRetried(outcome)) return noMore(null);
  const kind = classOf(outcome, isHeaded);
  if (kind === null || !policy.on.includes(kind)) return noMore(null);
  if (made >= policy.attempts) return noMore('attempts');
  const backoff = (): number =>
    draw().uniform() * Math.min(policy.cap, policy.base * 2 ** (made - 1));
  const wait = milliseconds(hint?.wait ?? backoff());
  if (ended + wait > patienceEnds) return noMore('patience');
  return { again: true, outcome, wait, waitBy: hint?.by ?? 'backoff' };
};
