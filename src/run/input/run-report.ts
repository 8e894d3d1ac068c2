import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { RunSummary } from '../../model/result/run-summary.ts';
import type { FigureError, Trust } from '../../model/result/verdict.ts';

/** This file contains the types in which the library reports a run, with plain numbers. */

/** The progress of a run, as plain numbers. */
export interface ProgressReport {
  /** `elapsed` is the time since the run began, `scheduled` the planned length of its load, both in ms. */
  readonly elapsed: number;
  readonly scheduled: number;
  /** `due` is the number of requests due so far, `inFlight` the number in flight now. */
  readonly due: number;
  readonly inFlight: number;
  /** The outcomes of the requests that have ended. */
  readonly outcomes: Readonly<OutcomeCounts>;
}

export type Verdict = 'pass' | 'fail' | 'inconclusive';

/** The bounds of a figure's true value, in its unit; `high` is `null` without an upper bound. */
export interface TrueValueBounds {
  readonly low: number;
  readonly high: number | null;
}

/** The printed percentiles of a run with their measurement errors. */
export type ReportedFigureError = Omit<FigureError, 'low' | 'high'> & TrueValueBounds;

/** The verdicts on a run. */
export interface RunVerdicts {
  /**
   * `fail` means a broken objective or limit; `inconclusive` means that the run is incomplete, or that its figures do
   * not count.
   */
  readonly overall: Verdict;
  /**
   * Whether the load was the planned one, and which figures the load generator may have changed; `inconclusive` if
   * degraded.
   */
  readonly trust: Omit<Trust, 'figures'> & {
    readonly verdict: Verdict;
    readonly figures: readonly ReportedFigureError[];
  };
  /** Each objective with its observed value, in `unit`. */
  readonly objectives: readonly (Pick<
    ObjectiveVerdict,
    'severity' | 'observed' | 'unit' | 'n' | 'low' | 'high' | 'error'
  > & {
    readonly objective: string;
    readonly verdict: Verdict;
    /** The reason, for example `kept`, `broken`, `no-data` or `within-error`. */
    readonly reason: ObjectiveVerdict['grounds'];
  })[];
  /** The verdict on the keys' rate limits; `null` if the scenario asks for none. */
  readonly limits: { readonly verdict: Verdict; readonly checks: readonly string[] } | null;
}

/** A run as plain numbers, without the warm-up. */
export interface RunReport {
  /** The verdict, counts, rates, cost and figures, for example `summary.kinds.chat?.endToEnd?.p95`. Times are in ms. */
  readonly summary: RunSummary;
  readonly verdicts: RunVerdicts;
  /** The stored result, with everything that was recorded. */
  readonly result: Result;
}
