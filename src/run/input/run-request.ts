import type { OtlpAddress } from '../../platform/telemetry/otlp.ts';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';
import type { PlanSource } from './read-plan.ts';
import type { Slice } from '../../model/workload/arrival.ts';

/** What `weir run` was asked. */
export interface RunRequest extends OutputOptions {
  readonly source: PlanSource;
  /** The folder for this run's files; by default one below `reports/`, named by time and plan. */
  readonly out: string | undefined;
  /** What lies in the folder is an earlier attempt at this same run, which makes way without a word. */
  readonly isRetry?: boolean;
  readonly observations: string | undefined;
  /** Whose bodies are kept in `capture.jsonl`. */
  readonly capture: CaptureMode | undefined;
  /** Who is shown live metrics. */
  readonly metricsExport: MetricsExportOptions;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** Where finished runs that count are kept; `null`: nowhere. */
  readonly history: string | null;
  /** Runs a plan even where it does not fit its own budget or pace. */
  readonly yes: boolean;
}

/** What is told of a result, and written of it beside the usual files. */
export interface OutputOptions {
  /** The result as JSON on standard output, and nothing else there. */
  readonly json: boolean;
  /** Only files. */
  readonly quiet: boolean;
  readonly extraReports: ExtraReportPaths;
}

/** Reports beside the usual ones, and the files they go to. */
export interface ExtraReportPaths {
  readonly junit: string | undefined;
  readonly csv: string | undefined;
  readonly summary: string | undefined;
}

/** Which requests’ bodies are kept for debugging. */
export const captureModes = ['failed', 'all'] as const;

export type CaptureMode = (typeof captureModes)[number];

/** Fewer runs have no two halves of which each shows how much runs differ. */
export const minSelfRuns = 4;

/** How two sides of runs are held against each other. */
export interface ComparisonCriteria {
  /** Metrics that decide, separated by commas; the usual ones where there is none. */
  readonly gate: string | undefined;
  readonly allowDifferent: boolean;
  readonly strict: boolean;
}

/** Repetitions and their comparison, as `weir run` was asked for them. */
export interface RepetitionRequest extends ComparisonCriteria {
  readonly repetitions: number;
  /** Another target, whose runs are the base; they alternate with the scenario's. */
  readonly against: string | undefined;
  /** Stored runs that are the base. */
  readonly baseline: readonly string[];
  readonly pause: string | undefined;
  /** Measures how much the runs differ by themselves. */
  readonly self: boolean;
}

/** Who is shown a run's figures while it is on. */
export interface MetricsExportOptions {
  /** Where they are offered to be fetched. */
  readonly metrics: MetricsAddress | null;
  /** Where they are pushed. */
  readonly otlp: OtlpAddress | null;
}
