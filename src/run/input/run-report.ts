import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import type { CountName, RateName } from '../../model/measures/run-figures.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { FigureError, Trust } from '../../model/result/verdict.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';

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

/** Percentiles of one measure of one kind of traffic, in `unit`: times are in ms. */
export interface Percentiles {
  readonly unit: string;
  /** The number of samples. */
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** By how much the load generator can have moved them; absent for what it cannot move. */
  readonly errors?: Readonly<Partial<Record<'p50' | 'p95' | 'p99', TrueValueBounds>>>;
}

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
  readonly counts: Readonly<Record<CountName, number>>;
  /** Per second; `null` if unknown. */
  readonly rates: Readonly<Record<RateName, number | null>>;
  /** By kind of traffic and measure: `percentiles.chat?.endToEnd?.p95`. */
  readonly percentiles: Readonly<
    Partial<Record<TrafficKind, Readonly<Partial<Record<MeasureName, Percentiles>>>>>
  >;
  readonly verdicts: RunVerdicts;
  /** The stored result, with everything that was recorded. */
  readonly result: Result;
}
