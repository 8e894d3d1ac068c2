import type { LimitCheck } from '../../../model/limits/limit-log.ts';
import type { LearnedCharging } from '../../../model/plan/pace.ts';
import type { LimitVerdict } from './limit-report.ts';
import type { TokenLog } from './token-log.ts';

/** What the remaining tokens say that one kind of request was charged. */
export interface ChargeRow {
  readonly kind: string;
  readonly status: number;
  readonly prompt: number;
  readonly used: number | null;
  readonly charge: number | null;
  /** What that charge is in words, such as `its usage` or `nothing`. */
  readonly words: string;
}

/** What a burst from an idle key was admitted. */
export interface BurstRow {
  readonly burst: number;
  readonly admitted: number;
  readonly refused: number;
  /** The tokens that were certainly charged for all that was admitted. */
  readonly tokens: number;
  /** The tokens that were certainly charged before a refusal for tokens; `null` without one. */
  readonly before: number | null;
  /** The most tokens of admitted requests that were in flight at once. */
  readonly atOnce: number;
}

export interface TokenFindings {
  readonly verdict: LimitVerdict;
  /** Whether the operator said that the key is idle and that usage is charged (`--yes-tokens`); absent if not. */
  readonly isPromised?: true;
  /** The facts on which the verdict rests, or why there are none, one sentence each. */
  readonly reasons: readonly string[];
  readonly checks: readonly LimitCheck[];
  readonly charges: readonly ChargeRow[];
  readonly bursts: readonly BurstRow[];
  readonly chargedAt: 'reserved' | 'admission' | 'end' | null;
  /** What a pace needs to know of the charges; absent in findings of earlier versions. */
  readonly charging?: LearnedCharging;
  /** How many were admitted at once with more than the limit, and what so many can use; `null` if none were. */
  readonly atOnce: { readonly requests: number; readonly limits: number } | null;
}

export interface TokenReport {
  readonly format: 'token-limits/1';
  readonly weir: string;
  readonly target: string;
  /** The wall-clock time of instant 0 of the log (ISO 8601, UTC). */
  readonly startedAt: string;
  readonly model: string;
  /** Whether nobody declared the limit, so that the interface's was assumed; absent if somebody did. */
  readonly isAssumed?: true;
  readonly took: number;
  readonly log: TokenLog;
  readonly findings: TokenFindings;
}
