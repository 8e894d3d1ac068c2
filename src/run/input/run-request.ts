import type { PlannedStart } from './planned-start.ts';
import { type Slice, wholeRunSlice } from '../../model/workload/arrival.ts';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';
import type { OtlpAddress } from '../../platform/telemetry/otlp.ts';
import type { PlanSource, ReadPlanWithFiles } from './read-plan.ts';

export interface RunRequest {
  readonly source: PlanSource | ReadPlanWithFiles;
  /**
   * The folder for the run's files. `undefined` means a new folder below `reports/`, named by time and plan. `null`
   * means that no files are written.
   */
  readonly out: string | null | undefined;
  /** Whether this run repeats a failed run. If so, it overwrites the files of that run without a warning. */
  readonly isRetry?: boolean;
  readonly extraReports: ExtraReportPaths;
  readonly observations: string | undefined;
  /** The path of the file for a table of requests. The extension decides whether the file is CSV or Parquet. */
  readonly requests?: string | undefined;
  readonly capture: CaptureMode | undefined;
  readonly metricsExport: MetricsExportOptions;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** When the load begins, in ms since 1970. Without this field, the load begins as soon as possible. */
  readonly startAt?: number | undefined;
  /**
   * Agrees with other slices on the start of the load. Weir calls this function as soon as everything is open. The
   * returned start replaces `startAt`.
   */
  readonly agreeOnStart?: (() => Promise<PlannedStart>) | undefined;
  /** The instant until which the slice may send; see `SliceOptions`. */
  readonly lease?: Float64Array<SharedArrayBuffer>;
  /** The path of the history in which the run is stored if it counts; `null` if no history is kept. */
  readonly history: string | null;
  readonly yes: boolean;
  /** Whether the run ends with exit code 13 if an objective is not sure; false by default. */
  readonly strict?: boolean;
  /** The live page of the run; absent if the run has no live page. */
  readonly live?: LivePageRequest | undefined;
  /** Whether each key is checked before the load, with a request for the models; true by default. */
  readonly keyCheck?: boolean | undefined;
  /**
   * Whether the run ends if all its first requests were refused for the same reason; false by default. With `true`, the
   * printed sentence names the option `--no-early-stop`. With `always`, it does not, since the caller has no such
   * option.
   */
  readonly earlyStop?: boolean | 'always' | undefined;
  /** Whether the target is checked before the load, with a request for its models; true by default. */
  readonly preflight?: boolean | undefined;
}

/** The request, without its `source`, for a single run that writes no file and exports nothing. */
export const bareRequest = {
  out: null,
  extraReports: {},
  observations: undefined,
  capture: undefined,
  metricsExport: { metrics: null, otlp: null },
  slice: wholeRunSlice,
  runId: undefined,
  history: null,
  yes: false,
} as const satisfies Omit<RunRequest, 'source'>;

export interface LivePageRequest {
  /** The port on 127.0.0.1; 0 means any free port. */
  readonly port: number;
  /** Called with the address of the page, so that the caller can show it to the user. */
  readonly onAddress: (address: string) => void;
}

export interface ExtraReportPaths {
  readonly junit?: string | undefined;
  readonly csv?: string | undefined;
  readonly bill?: string | undefined;
  readonly summary?: string | undefined;
  /** The path of a CI job's summary page, to which the summary of this run is appended. */
  readonly jobSummary?: string | undefined;
}

export const captureModes = ['failed', 'all'] as const;

export type CaptureMode = (typeof captureModes)[number];

/**
 * The minimum number of runs for `--self`. With fewer runs, one of the two halves would be a single run, which cannot
 * show how much runs differ.
 */
export const minSelfRuns = 4;

export interface ComparisonCriteria {
  /** The metrics that decide the comparison, separated by commas; `undefined` means the default metrics. */
  readonly gate?: string | undefined;
  readonly allowDifferent: boolean;
  readonly strict: boolean;
}

export interface RepetitionRequest extends ComparisonCriteria {
  readonly repetitions: number;
  /** Another target, whose runs are the base of the comparison. They alternate with runs of the scenario's target. */
  readonly against: string | undefined;
  readonly baseline: readonly string[];
  readonly pause: string | undefined;
  /** Whether to measure how much runs of one target differ. */
  readonly self: boolean;
}

export interface MetricsExportOptions {
  readonly metrics: MetricsAddress | null;
  readonly otlp: OtlpAddress | null;
}
