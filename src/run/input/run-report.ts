import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { RunSummary } from '../../model/result/run-summary.ts';
import type { FigureError, Trust } from '../../model/result/verdict.ts';

/** What the library reports about a run, as plain numbers. */

/** The progress of a run, as plain numbers. */
export interface ProgressReport {
  /** Milliseconds since the run began, and the planned length of its load. */
  readonly elapsed: number;
  readonly scheduled: number;
  /** Requests due so far, and requests in flight now. */
  readonly due: number;
  readonly inFlight: number;
  /** The outcomes of the requests that have ended. */
  readonly outcomes: Readonly<OutcomeCounts>;
}

export type Verdict = 'pass' | 'fail' | 'inconclusive';

/** Where the true value of a figure lies, in its unit; `high` is `null` without an upper bound. */
export interface TrueValueBounds {
  readonly low: number;
  readonly high: number | null;
}

/** The printed percentiles of a run with their measurement errors. */
export type ReportedFigureError = Omit<FigureError, 'low' | 'high'> & TrueValueBounds;

/** The verdicts on a run. */
export interface RunVerdicts {
  /** `fail`: an objective or a limit is broken; `inconclusive`: the run is incomplete, or its figures do not count. */
  readonly overall: Verdict;
  /** Whether the load was the planned one, and which figures the load generator can have moved; `inconclusive` if degraded. */
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
    /** Why, for example `kept`, `broken`, `no-data` or `within-error`. */
    readonly reason: ObjectiveVerdict['grounds'];
  })[];
  /** The rate limits of the keys; `null` if the scenario asks for no verdict. */
  readonly limits: { readonly verdict: Verdict; readonly checks: readonly string[] } | null;
}

/** A run as plain numbers, without the warm-up. */
export interface RunReport {
  /** Verdict, counts, rates, cost and figures: `summary.kinds.chat?.endToEnd?.p95`. Times are in ms. */
  readonly summary: RunSummary;
  readonly verdicts: RunVerdicts;
  /** The stored result, with everything that was recorded. */
  readonly result: Result;
}
