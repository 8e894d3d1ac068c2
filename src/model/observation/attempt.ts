import type { Outcome, ResponseHead } from './outcome.ts';
import type { ConnectionReuse } from './exchange.ts';
import type { Instant, Milliseconds } from '../quantity.ts';

/** One arrival can take several attempts. What each has of its own, and what lies between them. */

/** Where the length of a wait before a further attempt comes from, best first: what the server said, else our own backoff. */
export const waitSources = [
  'retry-after-ms',
  'retry-after',
  'reset-header',
  'reset-in-body',
  'backoff',
] as const;
export type WaitSource = (typeof waitSources)[number];

/** Why a failure that the plan would try again was not, each as reports print it. A closed set. */
export const gaveUpReasons = {
  attempts: 'all attempts were used',
  patience: 'the wait would have passed the total deadline',
  'run-ended': 'the run ended before the next attempt',
} as const satisfies Record<string, string>;
export type GaveUpReason = keyof typeof gaveUpReasons;
export const gaveUpNames = Object.keys(gaveUpReasons) as readonly GaveUpReason[];

/** What every attempt at an arrival has of its own. */
export interface AttemptFacts {
  /** The key's name, never its value. */
  readonly key: string;
  /** When it might go: the arrival’s due instant, or the end of the wait before this attempt; later where it waited for the pace. */
  readonly released: Instant;
  /** Tokens set aside for it under the pace; `null` without one. */
  readonly reserved: number | null;
  /** When the generator acted. For a dropped arrival: when it was dropped. */
  readonly begun: Instant;
  readonly connected: Instant | null;
  readonly connection: ConnectionReuse | null;
  /** Before the first byte was written; `null` when nothing was sent. */
  readonly sent: Instant | null;
  readonly head: ResponseHead | null;
  readonly ended: Instant;
}

/** The outcomes that can be followed by a further attempt. */
export type RetriedOutcome = Extract<Outcome, { kind: 'limited' | 'refused' | 'broken' }>;

/** An attempt that was followed by another one. */
export interface RetriedAttempt extends AttemptFacts {
  readonly outcome: RetriedOutcome;
  /** From this attempt’s end until the next one might go, in ms, and who said so. */
  readonly wait: Milliseconds;
  readonly waitBy: WaitSource;
}

/** When an attempt wanted to go, the pace apart: when its arrival was due, or after the wait that followed the attempt before. */
export const readyAt = (
  { due, earlier }: { readonly due: Instant; readonly earlier: readonly RetriedAttempt[] },
  attempt: number,
): number => {
  const before = earlier[attempt - 1];
  return before === undefined ? due : before.ended + before.wait;
};
