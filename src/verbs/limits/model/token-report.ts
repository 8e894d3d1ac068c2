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
  /**
   * The tokens that were certainly charged before a refusal for tokens; `null` if no request was refused for tokens.
   */
  readonly before: number | null;
  /** The largest number of tokens of admitted requests that were in flight at once. */
  readonly atOnce: number;
}

export interface TokenFindings {
  readonly verdict: LimitVerdict;
  /**
   * Whether the operator promised that the key is idle and that usage is charged (`--yes-tokens`); absent without the
   * promise.
   */
  readonly isPromised?: true;
  /** The facts behind the verdict, or the reasons why facts are missing, one sentence each. */
  readonly reasons: readonly string[];
  readonly checks: readonly LimitCheck[];
  readonly charges: readonly ChargeRow[];
  readonly bursts: readonly BurstRow[];
  readonly chargedAt: 'reserved' | 'admission' | 'end' | null;
  /** The facts about charges that a pace needs; absent for a limit of only input or output, and in earlier findings. */
  readonly charging?: LearnedCharging;
  /**
   * The largest number of requests that were admitted at once although their tokens exceed the limit, and how many
   * times the limit these requests can use; `null` if no such requests were admitted.
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
  /** Whether Weir assumed the limit of the interface, since nobody declared a limit; absent for a declared limit. */
  readonly isAssumed?: true;
  readonly took: number;
  readonly log: TokenLog;
  readonly findings: TokenFindings;
}
