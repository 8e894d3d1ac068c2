import type { RunRequest } from './input/run-request.ts';
import { join } from 'node:path';
import type { ClipLibrary } from '../model/workload/clip.ts';
import { type Plan, saturateLoadOf } from '../model/plan/plan.ts';
import { planHash } from '../model/plan/plan-hash.ts';
import type { Workload } from '../model/workload/workload.ts';
import { rejectUnsupportedTarget } from '../platform/http/autocannon-client.ts';
import { wallClock } from '../platform/host/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files/run-folder.ts';
import { type LineFile, openLineFile } from '../platform/files/line-file.ts';
import { captureFileName } from './watch/capture.ts';
import { type Checkpoint, openCheckpoint } from './watch/checkpoint.ts';
import { type RunCanary, openCanary } from './canary.ts';
import { type WorkerPoolPlan, planWorkerPool } from './workers/worker-pool-plan.ts';
import { folderName } from './input/folder-name.ts';
import { checkPlanFits } from './forecast.ts';
import { type ExtraReports, openExtraReports } from './output/extra-reports.ts';
import { type LiveMetrics, openLiveMetrics } from './watch/live-metrics.ts';
import { openRequestedFolder } from './output/publish.ts';
import { checkpointFileName } from './input/read-stored-result.ts';
import { readPlanWithFiles } from './input/read-plan.ts';
import { rejectSaturationConflicts } from './reject-saturation-conflicts.ts';
import { type ReadyTarget, prepareTarget } from './target/prepare-target.ts';

/** Everything that a run needs, opened before the first request; closed in the opposite order. */
export interface OpenedRun {
  readonly plan: Plan;
  /** The plan's hash, by which slices and files know that they are of one plan. */
  readonly hash: string;
  readonly folder: RunFolder;
  readonly extraReports: ExtraReports;
  readonly observations: LineFile | null;
  readonly captureFile: LineFile | null;
  readonly checkpoint: Checkpoint;
  readonly metrics: LiveMetrics;
  readonly target: ReadyTarget;
  readonly canary: RunCanary;
  readonly clips: ClipLibrary;
  readonly workload: Workload;
  /** The workers that send; `null` where this thread does. */
  readonly workerPool: WorkerPoolPlan | null;
}

/** The first part of all request ids: the same for all slices of a plan. */
export const runIdOf = ({ runId }: RunRequest, hash: string): string =>
  runId ?? `weir-${hash.slice(0, 8)}`;

/** Reads the plan and opens all that its run needs; what was opened is closed again where something is refused. */
export const openRun = async (
  request: RunRequest,
  environment: NodeJS.ProcessEnv,
  printLine: (text: string) => void,
): Promise<OpenedRun> => {
  const read = await readPlanWithFiles(request.source);
  rejectSaturationConflicts(read.plan, request);
  const workerPool = planWorkerPool(read, request.slice, request);
  if (!request.yes) checkPlanFits(read);
  const { plan, folder: baseFolder, clips, workload } = read;
  const folder = await (request.out === undefined
    ? openRunFolder(join('reports', folderName(wallClock(), plan.name)))
    : openRequestedFolder(request.out, { quiet: request.quiet || request.isRetry === true }));
  let observations: LineFile | null = null;
  let captureFile: LineFile | null = null;
  let metrics: LiveMetrics | null = null;
  let extraReports: ExtraReports | null = null;
  let checkpoint: Checkpoint | null = null;
  // It starts while everything else is opened.
  const startingCanary = openCanary(plan, workerPool?.workers ?? 1);
  try {
    checkpoint = await openCheckpoint(join(folder.path, checkpointFileName));
    extraReports = await openExtraReports(request.extraReports, environment);
    if (request.observations !== undefined) observations = await openLineFile(request.observations);
    if (request.capture !== undefined)
      captureFile = await openLineFile(join(folder.path, captureFileName));
    const hash = planHash(plan);
    const named = { runId: runIdOf(request, hash), slice: request.slice };
    metrics = await openLiveMetrics(plan, named, { ...request.metricsExport, say: printLine });
    const preparedTarget = await prepareTarget(plan, baseFolder);
    if (saturateLoadOf(plan) !== null)
      rejectUnsupportedTarget({ url: preparedTarget.baseUrl, wire: preparedTarget.wire });
    const canary = await startingCanary;
    // Whatever is left of the run says so, be it a checkpoint.
    const target = { ...preparedTarget, notes: [...preparedTarget.notes, ...canary.notes] };
    const files = { folder, extraReports, observations, captureFile, checkpoint };
    return { plan, hash, ...files, metrics, target, canary, clips, workload, workerPool };
  } catch (error) {
    await (await startingCanary).stop();
    await observations?.discard();
    await captureFile?.discard();
    await metrics?.close();
    await extraReports?.discard();
    await checkpoint?.discard();
    await folder.discard();
    throw error;
  }
};
