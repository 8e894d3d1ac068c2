import { join } from 'node:path';
import type { SliceOrder } from '../engine/slice-order.ts';
import { type AbortWatch, watchObjectives } from '../judge/abort-watch.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import { redactor } from '../model/secret.ts';
import { withoutPrompts } from '../model/without-prompts.ts';
import { weirVersion } from '../platform/machine.ts';
import { type Screen, screenOn } from '../platform/screen.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { traceNeeds } from '../report/workload-text.ts';
import { type GrowingTally, growTally } from '../record/growing-tally.ts';
import { fromResult, mergeTallies, type Tally, toResult } from '../record/tally.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { askWitness } from './ask-witness.ts';
import { captureTo, captureWarning } from './capture.ts';
import { keepOn } from './checkpoint.ts';
import { type Begin, type Driven, drive, type Watch } from './drive.ts';
import { type ExitName, exitOfSignal } from './exit-codes.ts';
import { keepInHistory } from './keep-history.ts';
import { liveOn, shownRun } from './live.ts';
import { shownAndMeasured } from './live-metrics.ts';
import { type Opened, openRun, type RunOrder, runIdOf } from './open-run.ts';
import { partialReason } from './partial-reason.ts';
import { type Judged, publish, verdictExit } from './publish.ts';
import type { Telling } from './report-options.ts';
import { quoteCalibration } from './quote-calibration.ts';
import { toStderr } from './streams.ts';

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

/** What is written once a run has begun: the head of its observations, and from then on the checkpoint of what this thread runs. */
const onBegin =
  (
    { plan, hash, observations, checkpoint, target }: Opened,
    asked: RunOrder,
    tally: GrowingTally,
  ) =>
  ({ startedAt, clock, own }: Begin): (() => void) => {
    const facts = { weir: weirVersion(), runId: runIdOf(asked, hash), planHash: hash };
    const { machineZero } = clock;
    observations?.write(observationsHeader({ ...facts, startedAt, machineZero }));
    if (own === null) return () => undefined;
    const { slice, generator } = own;
    const header = { ...facts, plan: withoutPrompts(plan), slice, notes: [...target.notes] };
    return keepOn(checkpoint.write, {
      ...{ clock, generator, header, tally },
      loadEnds: scheduledEnd(plan),
    });
  };

/** Where people are told of the run; `--quiet` tells nothing. */
interface People {
  readonly screen: Screen;
  readonly say: (text: string) => void;
}

/** What this thread and the workers have recorded. */
const wholeTally = (own: Tally, { parts }: Driven): Tally =>
  parts.reduce((sum, part) => mergeTallies(sum, fromResult(part)), own);

/** Takes what workers tell. */
const hearFor =
  ({ observations, checkpoint, metrics }: Opened, watch: AbortWatch): Watch['heard'] =>
  (news) => {
    for (const line of news.lines) observations?.write(line);
    for (const line of news.kept) checkpoint.write(line);
    for (const observation of news.observations) {
      watch.note(observation);
      metrics.note(observation);
    }
  };

/** Drives the plan and returns its result, without a prompt or anything secret in it. */
const runOpened = async (
  opened: Opened,
  asked: RunOrder,
  { screen, say }: People,
): Promise<{ readonly result: Result; readonly driven: Driven }> => {
  const { plan, hash, observations, metrics, target } = opened;
  const order = orderFor(opened, asked);
  for (const line of [
    ...target.doubts,
    ...traceNeeds(plan),
    ...captureWarning(asked.capture),
    ...metrics.told,
  ]) {
    say(line);
  }
  const tally = growTally(plan);
  const watch = watchObjectives(plan);
  const capture = captureTo(opened.captured, asked.capture, order.redact);
  const watching: Watch = {
    live: shownAndMeasured(asked.quiet ? null : liveOn(screen, shownRun(plan)), metrics),
    say,
    begun: onBegin(opened, asked, tally),
    breach: watch.breach,
    canary: opened.canary.way,
    wrap: (transport) => capture?.wrap(transport) ?? transport,
    record: (observation) => {
      tally.record(observation);
      watch.note(observation);
      observations?.write(observationLine(observation));
      capture?.note(observation);
    },
    heard: hearFor(opened, watch),
  };
  const driven = await drive(order, target, watching, opened.crew);
  screen.clear();
  const { witness, notes } = await askWitness(target.mock);
  const result = toResult(wholeTally(tally.whole(), driven), {
    ...{ weir: weirVersion(), runId: order.runId, planHash: hash },
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
export interface Ran extends Judged {
  /** The result's file. */
  readonly file: string;
  readonly exit: ExitName;
}

/** Somebody who stopped it knows that it is not whole. */
const exitAfter = ({ stoppedBy }: Driven, judged: Judged): ExitName =>
  stoppedBy === null ? verdictExit(judged) : exitOfSignal[stoppedBy];

/** Runs a plan once and publishes what came of it, told as `telling` says, and on the job's page that its environment names. */
export const runOnce = async (
  asked: RunOrder,
  telling: Pick<Telling, 'json' | 'quiet'> & { readonly environment: NodeJS.ProcessEnv },
): Promise<Ran> => {
  const screen = screenOn(process.stderr, process.env);
  const say = (text: string): void => {
    if (!asked.quiet) screen.line(text);
  };
  const opened = await openRun(asked, telling.environment, say);
  try {
    const { result, driven } = await runOpened(opened, asked, { screen, say });
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
    // Processes first: while one of them is there this one cannot end.
    await opened.canary.stop();
    await opened.target.mock?.stop();
    await opened.metrics.close();
  }
};

/** Runs a plan and publishes what came of it; the exit says how it ended. */
export const run = async (asked: RunOrder): Promise<ExitName> =>
  (await runOnce(asked, { ...asked, environment: process.env })).exit;
