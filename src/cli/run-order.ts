import type { Slice } from '../model/arrival.ts';
import type { CaptureMode } from './capture-options.ts';
import type { MetricsOrder } from './live-metrics.ts';
import type { PlanSource } from './read-plan.ts';
import type { Telling } from './report-options.ts';

/** What `weir run` was asked. */
export interface RunOrder extends Telling {
  readonly source: PlanSource;
  /** The folder for this run's files; by default one below `reports/`, named by time and plan. */
  readonly out: string | undefined;
  /** What lies in the folder is an earlier attempt at this same run, which makes way without a word. */
  readonly isAgain?: boolean;
  readonly observations: string | undefined;
  /** Whose bodies are kept in `capture.jsonl`. */
  readonly capture: CaptureMode | undefined;
  /** Who is shown live metrics. */
  readonly watchers: MetricsOrder;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** Where finished runs that count are kept; `null`: nowhere. */
  readonly history: string | null;
  /** Runs a plan even where it does not fit its own budget or pace. */
  readonly yes: boolean;
}

/** The first part of all request ids: the same for all slices of a plan. */
export const runIdOf = ({ runId }: RunOrder, hash: string): string =>
  runId ?? `weir-${hash.slice(0, 8)}`;
