import type { PlannedStart } from './planned-start.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';
import type { OtlpAddress } from '../../platform/telemetry/otlp.ts';
import type { PlanSource, ReadPlanWithFiles } from './read-plan.ts';

export interface RunRequest {
  /** The source of the plan, or the plan with its files. */
  readonly source: PlanSource | ReadPlanWithFiles;
  /**
   * The folder for the run's files. `undefined` means a folder below `reports/`, named by time and plan; `null` means
   * no files.
   */
  readonly out: string | null | undefined;
  /**
   * Whether this run is a retry: then its folder may contain an earlier attempt, which is overwritten without a
   * warning.
   */
  readonly isRetry?: boolean;
  readonly extraReports: ExtraReportPaths;
  readonly observations: string | undefined;
  /** The file for a table of requests, CSV or Parquet by its name. */
  readonly requests?: string | undefined;
  /** The requests whose bodies are written to `capture.jsonl`. */
  readonly capture: CaptureMode | undefined;
  readonly metricsExport: MetricsExportOptions;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** When the load begins, in ms since 1970; without it, as soon as it can. */
  readonly startAt?: number | undefined;
  /** Agrees with other slices on when the load begins, once everything is open; replaces `startAt`. */
  readonly agreeOnStart?: (() => Promise<PlannedStart>) | undefined;
  /** Until when the slice may send; see `SliceOptions`. */
  readonly lease?: Float64Array<SharedArrayBuffer>;
  /** The path of the history that keeps the run if it counts; `null` for none. */
  readonly history: string | null;
  readonly yes: boolean;
  /** Whether an objective that is not sure ends the run with exit 13; false by default. */
  readonly strict?: boolean;
  /** The live page of the run; if absent, there is none. */
  readonly live?: LivePageRequest | undefined;
  /** Whether each key is checked before the load, by listing the models; true by default. */
  readonly keyCheck?: boolean | undefined;
  /** Whether the target is checked before the load, by listing its models; true by default. */
  readonly preflight?: boolean | undefined;
}

export interface LivePageRequest {
  /** The port on 127.0.0.1; 0 for any free one. */
  readonly port: number;
  /** Called with the page's address, to show it to the user. */
  readonly onAddress: (address: string) => void;
}

export interface ExtraReportPaths {
  readonly junit?: string | undefined;
  readonly csv?: string | undefined;
  readonly summary?: string | undefined;
  /** The summary page of a CI job, to which this run's summary is appended. */
  readonly jobSummary?: string | undefined;
}

export const captureModes = ['failed', 'all'] as const;

export type CaptureMode = (typeof captureModes)[number];

/** The smallest number of runs: with fewer, the two halves cannot both show how much runs differ. */
export const minSelfRuns = 4;

export interface ComparisonCriteria {
  /** The metrics that decide, separated by commas; `undefined` means the usual ones. */
  readonly gate?: string | undefined;
  readonly allowDifferent: boolean;
  readonly strict: boolean;
}

export interface RepetitionRequest extends ComparisonCriteria {
  readonly repetitions: number;
  /** Another target, whose runs are the base of the comparison; they alternate with the scenario's. */
  readonly against: string | undefined;
  readonly baseline: readonly string[];
  readonly pause: string | undefined;
  /** Whether to measure how much runs of the same target differ. */
  readonly self: boolean;
}

export interface MetricsExportOptions {
  readonly metrics: MetricsAddress | null;
  readonly otlp: OtlpAddress | null;
}
