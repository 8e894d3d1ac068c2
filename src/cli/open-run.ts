import { join } from 'node:path';
import type { Slice } from '../model/arrival.ts';
import type { ClipShelf } from '../model/clip.ts';
import { type Plan, saturationOf } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import type { Workload } from '../model/workload.ts';
import { refuseWay } from '../platform/autocannon.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { type LineFile, openLineFile } from '../platform/lines.ts';
import type { CaptureMode } from './capture-options.ts';
import { captureName } from './capture.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { type Canary, openCanary } from './canary.ts';
import { type CrewPlan, crewPlanFor } from './crew-plan.ts';
import { folderName } from './folder-name.ts';
import { refuseMisfit } from './forecast.ts';
import { type FurtherReports, openFurtherReports } from './further-reports.ts';
import { type LiveMetrics, type MetricsOrder, metricsOf } from './live-metrics.ts';
import { openNamedFolder } from './publish.ts';
import { checkpointName } from './read-checkpoint.ts';
import { type PlanSource, readPlanWithFiles } from './read-plan.ts';
import { refuseBesideSaturation } from './saturation.ts';
import type { Telling } from './report-options.ts';
import { type ReadyTarget, readyTarget } from './target.ts';

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

/** Everything that a run needs, opened before the first request; closed in the opposite order. */
export interface Opened {
  readonly plan: Plan;
  /** The plan's hash, by which slices and files know that they are of one plan. */
  readonly hash: string;
  readonly folder: RunFolder;
  readonly further: FurtherReports;
  readonly observations: LineFile | null;
  readonly captured: LineFile | null;
  readonly checkpoint: Checkpoint;
  readonly metrics: LiveMetrics;
  readonly target: ReadyTarget;
  readonly canary: Canary;
  readonly clips: ClipShelf;
  readonly workload: Workload;
  /** The workers that send; `null` where this thread does. */
  readonly crew: CrewPlan | null;
}

/** The first part of all request ids: the same for all slices of a plan. */
export const runIdOf = ({ runId }: RunOrder, hash: string): string =>
  runId ?? `weir-${hash.slice(0, 8)}`;

/** Reads the plan and opens all that its run needs; what was opened is closed again where something is refused. */
export const openRun = async (
  asked: RunOrder,
  environment: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<Opened> => {
  const read = await readPlanWithFiles(asked.source);
  refuseBesideSaturation(read.plan, asked);
  const crew = crewPlanFor(read, asked.slice, asked);
  if (!asked.yes) refuseMisfit(read);
  const { plan, folder: home, clips, workload } = read;
  const folder = await (asked.out === undefined
    ? openRunFolder(join('reports', folderName(wallClock(), plan.name)))
    : openNamedFolder(asked.out, { quiet: asked.quiet || asked.isAgain === true }));
  let observations: LineFile | null = null;
  let captured: LineFile | null = null;
  let metrics: LiveMetrics | null = null;
  let further: FurtherReports | null = null;
  let checkpoint: Checkpoint | null = null;
  // It starts while everything else is opened.
  const starting = openCanary(plan, crew?.workers ?? 1);
  try {
    checkpoint = await openCheckpoint(join(folder.path, checkpointName));
    further = await openFurtherReports(asked.further, environment);
    if (asked.observations !== undefined) observations = await openLineFile(asked.observations);
    if (asked.capture !== undefined) captured = await openLineFile(join(folder.path, captureName));
    const hash = planHash(plan);
    const named = { runId: runIdOf(asked, hash), slice: asked.slice };
    metrics = await metricsOf(plan, named, { ...asked.watchers, say });
    const ready = await readyTarget(plan, home);
    if (saturationOf(plan) !== null) refuseWay({ url: ready.baseUrl, wire: ready.wire });
    const canary = await starting;
    // Whatever is left of the run says so, be it a checkpoint.
    const target = { ...ready, notes: [...ready.notes, ...canary.notes] };
    const files = { folder, further, observations, captured, checkpoint };
    return { plan, hash, ...files, metrics, target, canary, clips, workload, crew };
  } catch (error) {
    await (await starting).stop();
    await observations?.discard();
    await captured?.discard();
    await metrics?.close();
    await further?.discard();
    await checkpoint?.discard();
    await folder.discard();
    throw error;
  }
};
