import type { PlannedStart } from './planned-start.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';
import type { OtlpAddress } from '../../platform/telemetry/otlp.ts';
import type { PlanSource, ReadPlanWithFiles } from './read-plan.ts';

export interface RunRequest {
  /** Where the plan comes from, or the plan with its files. */
  readonly source: PlanSource | ReadPlanWithFiles;
  /** The folder for the run's files; `undefined`: a folder below `reports/`, named by time and plan; `null`: no files. */
  readonly out: string | null | undefined;
  /** The folder may contain an earlier attempt at this run, which is overwritten without a warning. */
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
  /** Agrees with other slices on when the load begins, once everything is open; in the place of `startAt`. */
  readonly agreeOnStart?: (() => Promise<PlannedStart>) | undefined;
  /** Says until when the slice may send; see `SliceOptions`. */
  readonly lease?: Float64Array<SharedArrayBuffer>;
  /** The history that keeps the run if it counts; `null` for none. */
  readonly history: string | null;
  readonly yes: boolean;
  /** The live page of the run; without it there is none. */
  readonly live?: LivePageRequest | undefined;
  /** Whether each key is checked before the load, by a list of models; the default. */
  readonly keyCheck?: boolean | undefined;
  /** Whether the target is looked at before the load, by a list of models; the default. */
  readonly preflight?: boolean | undefined;
}

export interface LivePageRequest {
  /** Of 127.0.0.1; 0 for any free one. */
  readonly port: number;
  /** Shows the page to the user. */
  readonly onAddress: (address: string) => void;
}

export interface ExtraReportPaths {
  readonly junit?: string | undefined;
  readonly csv?: string | undefined;
  readonly summary?: string | undefined;
  /** The page of a CI job, to which a summary is appended. */
  readonly jobSummary?: string | undefined;
}

export const captureModes = ['failed', 'all'] as const;

export type CaptureMode = (typeof captureModes)[number];

/** With fewer runs, the two halves cannot both show how much runs differ. */
export const minSelfRuns = 4;

export interface ComparisonCriteria {
  /** Metrics that decide, separated by commas; `undefined`: the usual ones. */
  readonly gate?: string | undefined;
  readonly allowDifferent: boolean;
  readonly strict: boolean;
}

export interface RepetitionRequest extends ComparisonCriteria {
  readonly repetitions: number;
  /** Another target, whose runs are the base; they alternate with the scenario's. */
  readonly against: string | undefined;
  readonly baseline: readonly string[];
  readonly pause: string | undefined;
  /** Measures how much the runs differ by themselves. */
  readonly self: boolean;
}

export interface MetricsExportOptions {
  readonly metrics: MetricsAddress | null;
  readonly otlp: OtlpAddress | null;
}
