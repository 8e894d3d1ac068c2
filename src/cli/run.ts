import { join } from 'node:path';
import type { SliceOrder } from '../engine/slice-order.ts';
import { watchObjectives } from '../judge/abort-watch.ts';
import type { Slice } from '../model/arrival.ts';
import type { ClipShelf } from '../model/clip.ts';
import type { Plan } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result, SliceRun } from '../model/result.ts';
import { redactor } from '../model/secret.ts';
import { withoutPrompts } from '../model/without-prompts.ts';
import type { Workload } from '../model/workload.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { type LineFile, openLineFile } from '../platform/lines.ts';
import type { LiveMetrics, MetricsAddress } from '../platform/metrics.ts';
import { thisMachine, weirVersion } from '../platform/machine.ts';
import { screenOn } from '../platform/screen.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { traceNeeds } from '../report/workload-text.ts';
import { type GrowingTally, growTally } from '../record/growing-tally.ts';
import { toResult } from '../record/tally.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { askWitness } from './ask-witness.ts';
import type { CaptureMode } from './capture-options.ts';
import { type Capture, captureName, captureTo, captureWarning } from './capture.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { type Begin, type Driven, drive } from './drive.ts';
import { type ExitName, exitOfSignal, gravestExit } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { refuseMisfit } from './forecast.ts';
import { type FurtherReports, openFurtherReports } from './further-reports.ts';
import { keepInHistory } from './keep-history.ts';
import { liveOn, shownRun } from './live.ts';
import { metricsOf, shownAndMeasured } from './live-metrics.ts';
import { checkpointName } from './read-checkpoint.ts';
import { partialReason } from './partial-reason.ts';
import { type PlanSource, readPlanWithFiles } from './read-plan.ts';
import { type Judged, openNamedFolder, publish, verdictExit } from './publish.ts';
import type { Telling } from './report-options.ts';
import { quoteCalibration } from './quote-calibration.ts';
import { toStderr } from './streams.ts';
import { type ReadyTarget, readyTarget } from './target.ts';

/** What `weir run` was asked. */
export interface RunOrder extends Telling {
  readonly source: PlanSource;
  /** The folder for this run's files; by default one below `reports/`, named by time and plan. */
  readonly out: string | undefined;
  readonly observations: string | undefined;
  /** Whose bodies are kept in `capture.jsonl`. */
  readonly capture: CaptureMode | undefined;
  /** Where live metrics are offered. */
  readonly metrics: MetricsAddress | null;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** Where finished runs that count are kept; `null`: nowhere. */
  readonly history: string | null;
  /** Runs a plan even where it does not fit its own budget or pace. */
  readonly yes: boolean;
}

/** The first part of all request ids: the same for all slices of a plan. */
const runIdOf = ({ runId }: RunOrder, hash: string): string => runId ?? `weir-${hash.slice(0, 8)}`;

const orderFor = (
  { plan, hash, target, clips, workload }: Opened,
  asked: RunOrder,
): SliceOrder => ({
  plan,
  slice: asked.slice,
  runId: runIdOf(asked, hash),
  credentials: target.credentials,
  headers: target.headers,
  userAgent: `weir/${weirVersion()}`,
  clips,
  workload,
  redact: redactor([...target.secrets, ...target.credentials.map(({ value }) => value)]),
});

/** Everything that a run needs, opened before the first request; closed in the opposite order. */
interface Opened {
  readonly plan: Plan;
  /** The plan's hash, by which slices and files know that they are of one plan. */
  readonly hash: string;
  readonly folder: RunFolder;
  readonly further: FurtherReports;
  readonly observations: LineFile | null;
  readonly captured: LineFile | null;
  readonly checkpoint: Checkpoint;
  readonly metrics: LiveMetrics | null;
  readonly target: ReadyTarget;
  readonly clips: ClipShelf;
  readonly workload: Workload;
}

const open = async (asked: RunOrder, environment: NodeJS.ProcessEnv): Promise<Opened> => {
  const read = await readPlanWithFiles(asked.source);
  if (!asked.yes) refuseMisfit(read);
  const { plan, folder: home, clips, workload } = read;
  const folder = await (asked.out === undefined
    ? openRunFolder(join('reports', folderName(wallClock(), plan.name)))
    : openNamedFolder(asked.out, asked));
  let observations: LineFile | null = null;
  let captured: LineFile | null = null;
  let metrics: LiveMetrics | null = null;
  let further: FurtherReports | null = null;
  let checkpoint: Checkpoint | null = null;
  try {
    checkpoint = await openCheckpoint(join(folder.path, checkpointName));
    further = await openFurtherReports(asked.further, environment);
    if (asked.observations !== undefined) observations = await openLineFile(asked.observations);
    if (asked.capture !== undefined) captured = await openLineFile(join(folder.path, captureName));
    const hash = planHash(plan);
    metrics = await metricsOf(plan, runIdOf(asked, hash), asked.metrics);
    const target = await readyTarget(plan, home);
    const files = { folder, further, observations, captured, checkpoint };
    return { plan, hash, ...files, metrics, target, clips, workload };
  } catch (error) {
    await observations?.discard();
    await captured?.discard();
    await metrics?.close();
    await further?.discard();
    await checkpoint?.discard();
    await folder.discard();
    throw error;
  }
};

const sliceBegun = (
  { slice: { index, count } }: RunOrder,
  { baseUrl }: ReadyTarget,
  { startedAt }: Pick<Begin, 'startedAt'>,
): Omit<SliceRun, 'generator'> => ({ index, count, startedAt, baseUrl, machine: thisMachine() });

/** What is written once a run has begun: the head of its observations, and its checkpoint from then on. */
const onBegin =
  (
    { plan, hash, observations, checkpoint, target }: Opened,
    asked: RunOrder,
    tally: GrowingTally,
  ) =>
  (begin: Begin): (() => void) => {
    const { startedAt, clock } = begin;
    const facts = { weir: weirVersion(), runId: runIdOf(asked, hash), planHash: hash };
    const { machineZero } = clock;
    observations?.write(observationsHeader({ ...facts, startedAt, machineZero }));
    const slice = sliceBegun(asked, target, begin);
    const header = { ...facts, plan: withoutPrompts(plan), slice, notes: [...target.notes] };
    return checkpoint.keep({ ...begin, header, tally, loadEnds: scheduledEnd(plan) });
  };

const captureOf = (
  { captured }: Opened,
  { capture }: RunOrder,
  { redact }: SliceOrder,
): Capture | null =>
  captured === null || capture === undefined ? null : captureTo(captured, capture, redact);

/** Drives the plan and returns its result, without a prompt or anything secret in it. */
const runOpened = async (
  opened: Opened,
  asked: RunOrder,
): Promise<{ readonly result: Result; readonly driven: Driven }> => {
  const { plan, hash, observations, metrics, target } = opened;
  const order = orderFor(opened, asked);
  const screen = screenOn(process.stderr, process.env);
  const say = (text: string): void => {
    if (!asked.quiet) screen.line(text);
  };
  for (const line of [...traceNeeds(plan), ...captureWarning(asked.capture)]) say(line);
  if (metrics !== null) say(`Live metrics: ${metrics.address}`);
  const tally = growTally(plan);
  const watch = watchObjectives(plan);
  const capture = captureOf(opened, asked, order);
  const live = shownAndMeasured(asked.quiet ? null : liveOn(screen, shownRun(plan)), metrics);
  const driven = await drive(order, target, {
    live,
    say,
    begun: onBegin(opened, asked, tally),
    breach: watch.breach,
    wrap: (transport) => capture?.wrap(transport) ?? transport,
    record: (observation) => {
      tally.record(observation);
      watch.note(observation);
      observations?.write(observationLine(observation));
      capture?.note(observation);
    },
  });
  screen.clear();
  const { witness, notes } = await askWitness(target.mock);
  const result = toResult(tally.whole(), {
    weir: weirVersion(),
    runId: order.runId,
    plan: withoutPrompts(plan),
    planHash: hash,
    slices: [{ ...sliceBegun(asked, target, driven), generator: [...driven.generator] }],
    scheduled: milliseconds(driven.loadEnded),
    partial: partialReason(driven),
    breach: driven.breach ?? undefined,
    notes: [...target.notes, ...driven.notes, ...notes],
    witness,
  });
  return { result, driven };
};

/** What a run left behind. */
export interface Ran extends Judged {
  /** The result's file. */
  readonly file: string;
  readonly exit: ExitName;
}

/** A run that its budget ended is not the whole of its plan. */
const exitAfter = ({ stoppedBy, spent }: Driven, judged: Judged): ExitName => {
  if (stoppedBy !== null) return exitOfSignal[stoppedBy];
  const verdict = verdictExit(judged);
  return spent === null ? verdict : gravestExit(['incomplete', verdict]);
};

/** Runs a plan once and publishes what came of it, told as `telling` says, and on the job's page that its environment names. */
export const runOnce = async (
  asked: RunOrder,
  telling: Pick<Telling, 'json' | 'quiet'> & { readonly environment: NodeJS.ProcessEnv },
): Promise<Ran> => {
  const opened = await open(asked, telling.environment);
  try {
    const { result, driven } = await runOpened(opened, asked);
    const judged = await publish(await quoteCalibration(result), opened, telling);
    // After the reports: a full disk here must not cost them.
    await opened.observations?.close();
    await opened.captured?.close();
    const unkept = await opened.checkpoint.remove();
    if (unkept !== null) toStderr(`The checkpoint was not kept: ${unkept}.`);
    if (asked.observations !== undefined && !asked.quiet) {
      toStderr(`Observations: ${asked.observations}`);
    }
    const exit = exitAfter(driven, judged);
    const ran = { ...judged, exit, file: join(opened.folder.path, 'result.json') };
    await keepInHistory(asked.history, ran);
    return ran;
  } finally {
    await opened.metrics?.close();
    await opened.target.mock?.stop();
  }
};

/** Runs a plan and publishes what came of it; the exit says how it ended. */
export const run = async (asked: RunOrder): Promise<ExitName> =>
  (await runOnce(asked, { ...asked, environment: process.env })).exit;
