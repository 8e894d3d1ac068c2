import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { RunSummary } from '../../model/result/run-summary.ts';
import type { FigureError, Trust } from '../../model/result/verdict.ts';

/** This file contains the types in which the library reports a run, as plain numbers. */

/** The progress of a run, as plain numbers. */
export interface ProgressReport {
  /** The time since the run began, and the planned length of its load, in ms. */
  readonly elapsed: number;
  readonly scheduled: number;
  /** The number of requests that were due so far, and the number of requests that are in flight now. */
  readonly due: number;
  readonly inFlight: number;
  /** The outcomes of the ended requests. */
  readonly outcomes: Readonly<OutcomeCounts>;
}

export type Verdict = 'pass' | 'fail' | 'inconclusive';

/** The bounds of a figure's true value, in the unit of the figure; `high` is `null` without an upper bound. */
export interface TrueValueBounds {
  readonly low: number;
  readonly high: number | null;
}

/** A percentile of the report with its measurement error. */
export type ReportedFigureError = Omit<FigureError, 'low' | 'high'> & TrueValueBounds;

/** The verdicts on a run. */
export interface RunVerdicts {
  /**
   * The verdict on the run as a whole. With `fail`, an objective or a limit is broken. With `inconclusive`, the run is
   * incomplete, or its figures do not count.
   */
  readonly overall: Verdict;
  /**
   * Whether the load was as planned, and which figures may be wrong because of the load generator. The `verdict` is
   * `inconclusive` if the trust is degraded, and `fail` if it is invalid.
   */
  readonly trust: Omit<Trust, 'figures'> & {
    readonly verdict: Verdict;
    readonly figures: readonly ReportedFigureError[];
  };
  /** Each objective with its observed value in `unit`. */
  readonly objectives: readonly (Pick<
    ObjectiveVerdict,
    'severity' | 'observed' | 'unit' | 'n' | 'low' | 'high' | 'error'
  > & {
    readonly objective: string;
    readonly verdict: Verdict;
    /** The reason for the verdict, for example `kept`, `broken`, `no-data` or `within-error`. */
    readonly reason: ObjectiveVerdict['grounds'];
  })[];
  /** The verdict on the rate limits of the keys; `null` if limits were not judged. */
  readonly limits: { readonly verdict: Verdict; readonly checks: readonly string[] } | null;
}

/** A run as plain numbers. The warm-up is not included. */
export interface RunReport {
  /** The verdict, counts, rates, cost and figures, for example `summary.kinds.chat?.endToEnd?.p95`. Times are in ms. */
  readonly summary: RunSummary;
  readonly verdicts: RunVerdicts;
  /** The stored result, which contains everything that was recorded. */
  readonly result: Result;
}
