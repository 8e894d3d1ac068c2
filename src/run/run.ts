import type { RunRequest, OutputOptions } from './input/run-request.ts';
import { join } from 'node:path';
import type { SliceOptions } from '../engine/slice-options.ts';
import { type AbortWatch, watchObjectives } from '../judge/objectives/abort-watch.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result/result.ts';
import { redactor } from '../model/plan/secret.ts';
import { withoutPrompts } from '../model/plan/without-prompts.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { type Screen, screenOn } from '../platform/screen.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { traceNeeds } from '../report/summary/workload-text.ts';
import { type IncrementalTally, createIncrementalTally } from '../record/incremental-tally.ts';
import { fromResult, mergeTallies, type Tally, toResult } from '../record/tally.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { collectMockCounters } from './target/collect-mock-counters.ts';
import { openCapture, captureWarning } from './watch/capture.ts';
import { writeCheckpoint } from './watch/checkpoint.ts';
import { type StartedSlice, type DrivenSlice, drive, type SliceWatch } from './drive.ts';
import { type ExitName, exitOfSignal } from './output/exit-codes.ts';
import { storeInHistory } from './output/store-in-history.ts';
import { openLiveDisplay, displayedRun } from './watch/live-display.ts';
import { displayWithMetrics } from './watch/live-metrics.ts';
import { type OpenedRun, openRun, runIdOf } from './open-run.ts';
import { partialReason } from './partial-reason.ts';
import { type JudgedResult, publish, exitForVerdicts } from './output/publish.ts';
import { withCalibrationNote } from './calibration-note.ts';
import { toStderr } from '../platform/standard-streams.ts';

const sliceRequestFor = (
  { plan, hash, target, clips, workload }: OpenedRun,
  request: RunRequest,
): SliceOptions => ({
  plan,
  slice: request.slice,
  runId: runIdOf(request, hash),
  credentials: target.credentials,
  headers: target.headers,
  userAgent: `weir/${weirVersion()}`,
  clips,
  workload,
  redact: redactor([...target.secrets, ...target.credentials.map(({ value }) => value)]),
});

/** What is written once a run has begun: the head of its observations, and from then on the checkpoint of what this thread runs. */
const onSliceStart =
  (
    { plan, hash, observations, checkpoint, target }: OpenedRun,
    request: RunRequest,
    tally: IncrementalTally,
  ) =>
  ({ startedAt, clock, local }: StartedSlice): (() => void) => {
    const facts = { weir: weirVersion(), runId: runIdOf(request, hash), planHash: hash };
    const { machineZero } = clock;
    observations?.write(observationsHeader({ ...facts, startedAt, machineZero }));
    if (local === null) return () => undefined;
    const { slice, generator } = local;
    const header = { ...facts, plan: withoutPrompts(plan), slice, notes: [...target.notes] };
    return writeCheckpoint(checkpoint.write, {
      clock,
      generator,
      header,
      tally,
      loadEnds: scheduledEnd(plan),
    });
  };

/** Where people are told of the run; `--quiet` tells nothing. */
interface RunMessages {
  readonly screen: Screen;
  readonly say: (text: string) => void;
}

/** What this thread and the workers have recorded. */
const tallyOfAllThreads = (own: Tally, { workerResults }: DrivenSlice): Tally =>
  workerResults.reduce((sum, part) => mergeTallies(sum, fromResult(part)), own);

/** Takes what workers tell. */
const onWorkerUpdateFor =
  (
    { observations, checkpoint, metrics }: OpenedRun,
    watch: AbortWatch,
  ): SliceWatch['onWorkerUpdate'] =>
  (update) => {
    for (const line of update.observationLines) observations?.write(line);
    for (const line of update.checkpointLines) checkpoint.write(line);
    for (const observation of update.observations) {
      watch.record(observation);
      metrics.record(observation);
    }
  };

/** Drives the plan and returns its result, without a prompt or anything secret in it. */
const runOpened = async (
  opened: OpenedRun,
  request: RunRequest,
  { screen, say }: RunMessages,
): Promise<{ readonly result: Result; readonly driven: DrivenSlice }> => {
  const { plan, hash, observations, metrics, target } = opened;
  const sliceRequest = sliceRequestFor(opened, request);
  for (const line of [
    ...target.warnings,
    ...traceNeeds(plan),
    ...captureWarning(request.capture),
    ...metrics.startupLines,
  ]) {
    say(line);
  }
  const tally = createIncrementalTally(plan);
  const watch = watchObjectives(plan);
  const capture = openCapture(opened.captureFile, request.capture, sliceRequest.redact);
  const sliceWatch: SliceWatch = {
    display: displayWithMetrics(
      request.quiet ? null : openLiveDisplay(screen, displayedRun(plan)),
      metrics,
    ),
    say,
    onStart: onSliceStart(opened, request, tally),
    findBreach: watch.breach,
    canary: opened.canary.streamOptions,
    wrap: (transport) => capture?.wrap(transport) ?? transport,
    record: (observation) => {
      tally.record(observation);
      watch.record(observation);
      observations?.write(observationLine(observation));
      capture?.record(observation);
    },
    onWorkerUpdate: onWorkerUpdateFor(opened, watch),
  };
  const driven = await drive(sliceRequest, target, sliceWatch, opened.workerPool);
  screen.clear();
  const { witness, notes } = await collectMockCounters(target.mock);
  const result = toResult(tallyOfAllThreads(tally.whole(), driven), {
    weir: weirVersion(),
    runId: sliceRequest.runId,
    planHash: hash,
    plan: withoutPrompts(plan),
    slices: [...driven.slices],
    scheduled: milliseconds(driven.loadEnded),
    partial: partialReason(driven),
    breach: driven.breach ?? undefined,
    notes: [...target.notes, ...driven.notes, ...opened.canary.endNotes(), ...notes],
    witness,
  });
  return { result, driven };
};

/** What a run left behind. */
export interface FinishedRun extends JudgedResult {
  /** The result's file. */
  readonly file: string;
  readonly exit: ExitName;
}

/** Somebody who stopped it knows that it is not whole. */
const exitAfter = ({ stoppedBy }: DrivenSlice, judged: JudgedResult): ExitName =>
  stoppedBy === null ? exitForVerdicts(judged) : exitOfSignal[stoppedBy];

/** Runs a plan once and publishes what came of it, told as `telling` says, and on the job's page that its environment names. */
export const runOnce = async (
  request: RunRequest,
  output: Pick<OutputOptions, 'json' | 'quiet'> & { readonly environment: NodeJS.ProcessEnv },
): Promise<FinishedRun> => {
  const screen = screenOn(process.stderr, process.env);
  const say = (text: string): void => {
    if (!request.quiet) screen.line(text);
  };
  const opened = await openRun(request, output.environment, say);
  try {
    const { result, driven } = await runOpened(opened, request, { screen, say });
    const judged = await publish(await withCalibrationNote(result), opened, output);
    // After the reports: a full disk here must not cost them.
    await opened.observations?.close();
    await opened.captureFile?.close();
    const checkpointFailure = await opened.checkpoint.remove();
    if (checkpointFailure !== null) toStderr(`The checkpoint was not kept: ${checkpointFailure}.`);
    if (request.observations !== undefined && !request.quiet) {
      toStderr(`Observations: ${request.observations}`);
    }
    const exit = exitAfter(driven, judged);
    const finished = { ...judged, exit, file: join(opened.folder.path, 'result.json') };
    await storeInHistory(request.history, finished);
    return finished;
  } finally {
    // Processes first: while one of them is there this one cannot end.
    await opened.canary.stop();
    await opened.target.mock?.stop();
    await opened.metrics.close();
  }
};

/** Runs a plan and publishes what came of it; the exit says how it ended. */
export const run = async (request: RunRequest): Promise<ExitName> =>
  (await runOnce(request, { ...request, environment: process.env })).exit;
