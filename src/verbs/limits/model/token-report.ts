import type { LimitCheck } from '../../../model/limits/limit-log.ts';
import type { LearnedCharging } from '../../../model/plan/pace.ts';
import type { LimitVerdict } from './limit-report.ts';
import type { TokenLog } from './token-log.ts';

/** The charge of one kind of request, computed from the reported remaining tokens. */
export interface ChargeRow {
  readonly kind: string;
  readonly status: number;
  readonly prompt: number;
  readonly used: number | null;
  readonly charge: number | null;
  /** The charge in words, such as `its usage` or `nothing`. */
  readonly words: string;
}

/** The requests of one burst that came after the key was idle. */
export interface BurstRow {
  readonly burst: number;
  readonly admitted: number;
  readonly refused: number;
  /** The tokens that were certainly charged for the admitted requests. */
  readonly tokens: number;
  /** The most tokens that were certainly charged before a refusal for tokens; `null` without such a refusal. */
  readonly before: number | null;
  /** The tokens of the admitted requests that were in flight at the busiest moment. */
  readonly atOnce: number;
}

export interface TokenFindings {
  readonly verdict: LimitVerdict;
  /**
   * Whether the operator promised that the key is idle and that usage is charged (`--yes-tokens`); absent without the
   * promise.
   */
  readonly isPromised?: true;
  /** One sentence each: the facts that led to the verdict, or why facts are missing. */
  readonly reasons: readonly string[];
  readonly checks: readonly LimitCheck[];
  readonly charges: readonly ChargeRow[];
  readonly bursts: readonly BurstRow[];
  readonly chargedAt: 'reserved' | 'admission' | 'end' | null;
  /** The facts about charges that a pace needs; absent for a limit of only input or output, and in earlier findings. */
  readonly charging?: LearnedCharging;
  /**
   * How many requests were admitted at once although their tokens exceed the limit, and how many times the limit this
   * number of requests can use; `null` if no such requests were admitted.
   */
  readonly atOnce: { readonly requests: number; readonly limits: number } | null;
}

export interface TokenReport {
  readonly format: 'token-limits/1';
  readonly weir: string;
  readonly target: string;
  /** The wall-clock time of instant 0 of the log (ISO 8601, UTC). */
  readonly startedAt: string;
  readonly model: string;
  readonly isAssumed?: true;
  readonly took: number;
  readonly log: TokenLog;
  readonly findings: TokenFindings;
}
