import type { LimitFacts } from '../../../model/limits/limit-facts.ts';
import type { LimitCheck, LimitLog } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';

/** Exit codes 0, 14 and 13. */
export type LimitVerdict = 'kept' | 'violated' | 'undecided';

export interface LimitJudgement {
  readonly verdict: LimitVerdict;
  /** The facts that the verdict rests on, or why there is none: one sentence each. */
  readonly reasons: readonly string[];
  readonly facts: LimitFacts;
  /** The limiter, with its fitted parameters; it explains and predicts. */
  readonly identification: LimiterIdentification;
  readonly checks: readonly LimitCheck[];
}

export interface LimitReport {
  readonly format: 'limits/1';
  readonly weir: string;
  readonly target: string;
  /** ISO 8601, UTC; instant 0 of the log. */
  readonly startedAt: string;
  readonly model: string;
  readonly took: number;
  readonly log: LimitLog;
  readonly judgement: LimitJudgement;
  readonly explanation?: LimiterExplanation;
}
