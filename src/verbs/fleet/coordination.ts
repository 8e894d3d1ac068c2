import type { Plan } from '../../model/plan/plan.ts';
import type { FollowedStops } from '../../run/input/follow-stops.ts';
import type { Host } from '../../run/input/host.ts';
import type { ProgressReport } from '../../run/input/run-report.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { ExtraReportPaths, LivePageRequest } from '../../run/input/run-request.ts';
import type { LedRun } from './lead-run.ts';
import type { LossPolicy } from './loss-policies.ts';

/** Leads the slices of one run on other machines. */
export interface CoordinateRequest {
  readonly source: PlanSource;
  readonly slices: number;
  /** The address of the rendezvous. */
  readonly rendezvous: string;
  readonly onLost: LossPolicy;
  /** Whoever was silent for so many ms is gone. */
  readonly silence: number;
  /** How long to wait for the workers, in ms. */
  readonly wait: number;
  readonly runId: string | undefined;
  /** As of a run. */
  readonly out: string | null | undefined;
  readonly extraReports: ExtraReportPaths;
  /** Serve the progress of all, and at the end the report. */
  readonly live?: LivePageRequest | undefined;
  readonly history: string | null;
  readonly yes: boolean;
}

/** What a coordinator has opened. */
export interface Coordination {
  readonly request: CoordinateRequest;
  readonly plan: Plan;
  readonly led: LedRun;
  readonly host: Host;
  readonly stops: FollowedStops;
  /** Called once a second with the progress of all slices. */
  readonly onProgress: (progress: ProgressReport) => void;
}

/** How often the coordinator looks, in ms. */
export const lookInterval = 250;
