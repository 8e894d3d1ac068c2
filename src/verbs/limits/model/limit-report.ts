import type { LimitFacts } from '../../../model/limits/limit-facts.ts';
import type { LimitCheck, LimitLog } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';

/** The verdict on the limits. The exit codes are 0, 14 and 13, in this order. */
export type LimitVerdict = 'kept' | 'violated' | 'undecided';

/**
 * What an examination of requests shows about the limit of tokens: never that it is kept, since too few tokens are
 * used.
 */
export interface TokenJudgement {
  readonly verdict: 'violated' | 'not examined';
  readonly reasons: readonly string[];
}

export interface LimitJudgement {
  /** The verdict on both limits: `violated` if either is violated, otherwise the verdict on the limit of requests. */
  readonly verdict: LimitVerdict;
  readonly requests: LimitVerdict;
  readonly tokens: TokenJudgement;
  /** One sentence each: the facts that led to the verdict, or why facts are missing. */
  readonly reasons: readonly string[];
  readonly facts: LimitFacts;
  /** Which limiter, with which fitted parameters, explains the decisions. */
  readonly identification: LimiterIdentification;
  readonly checks: readonly LimitCheck[];
}

export interface LimitReport {
  readonly format: 'limits/1';
  readonly weir: string;
  readonly target: string;
  /** The wall-clock time of instant 0 of the log (ISO 8601, UTC). */
  readonly startedAt: string;
  readonly model: string;
  /** Whether Weir assumed a default limit, since nobody declared one; absent for a declared limit. */
  readonly isAssumed?: true;
  readonly took: number;
  readonly log: LimitLog;
  readonly judgement: LimitJudgement;
  readonly explanation?: LimiterExplanation;
}
