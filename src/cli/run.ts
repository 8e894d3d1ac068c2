import { join } from 'node:path';
import type { SliceOrder } from '../engine/slice-order.ts';
import { watchObjectives } from '../judge/abort-watch.ts';
import type { Slice } from '../model/arrival.ts';
import type { ClipShelf } from '../model/clip.ts';
import type { Plan } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import { redactor } from '../model/secret.ts';
import { withoutPrompts } from '../model/without-prompts.ts';
import type { Workload } from '../model/workload.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { type LineFile, openLineFile } from '../platform/lines.ts';
import { weirVersion } from '../platform/machine.ts';
import { type MockProcess, readWitness } from '../platform/mock-process.ts';
import { screenOn } from '../platform/screen.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { traceNeeds } from '../report/workload-text.ts';
import {
  emptyTally,
  fromResult,
  mergeTallies,
  record,
  type Tally,
  toResult,
} from '../record/tally.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { type CrewPlan, crewPlanFor } from './crew-plan.ts';
import { type Driven, drive, type Watch } from './drive.ts';
import { type ExitName, exitOfSignal } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { type FurtherReports, openFurtherReports } from './further-reports.ts';
import { keepInHistory } from './keep-history.ts';
import { liveOn } from './live.ts';
import { type PlanSource, readPlanWithFiles } from './read-plan.ts';
import { type Judged, openNamedFolder, publish, verdictExit } from './publish.ts';
import type { Telling } from './report-options.ts';
import { toStderr } from './streams.ts';
import { type ReadyTarget, readyTarget } from './target.ts';

/** What `weir run` was asked. */
export interface RunOrder extends Telling {
  readonly source: PlanSource;
  /** The folder for this run's files; by default one below `reports/`, named by time and plan. */
  readonly out: string | undefined;
  readonly observations: string | undefined;
  readonly slice: Slice;
  readonly runId: string | undefined;
  /** Where finished runs that count are kept; `null`: nowhere. */
  readonly history: string | null;
}

const orderFor = (
  { plan, hash, target, clips, workload }: Opened,
  asked: RunOrder,
): SliceOrder => ({
  plan,
  slice: asked.slice,
  runId: asked.runId ?? `weir-${hash.slice(0, 8)}`,
  credentials: target.credentials,
  headers: target.headers,
  userAgent: `weir/${weirVersion()}`,
  clips,
  workload,
  redact: redactor([...target.secrets, ...target.credentials.map(({ value }) => value)]),
});

/** Why a run was ended, in a sentence. */
const stopReason = ({ stoppedBy, cut, breach }: Driven): string | null => {
  if (breach !== null) {
    return `ended after ${Math.round(breach.at / 1000)} s, since the objective ${breach.text} was broken`;
  }
  if (stoppedBy === null) return null;
  return cut
    ? `stopped by ${stoppedBy} before the load had ended`
    : `stopped by ${stoppedBy} while the last answers were awaited`;
};

const partialReason = (driven: Driven): string | null => {
  const reasons = [stopReason(driven), ...driven.lost].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
};

/** Everything that a run needs, opened before the first request; closed in the opposite order. */
interface Opened {
  readonly plan: Plan;
  /** The plan's hash, by which slices and files know that they are of one plan. */
  readonly hash: string;
  readonly folder: RunFolder;
  readonly further: FurtherReports;
  readonly observations: LineFile | null;
  readonly target: ReadyTarget;
  readonly clips: ClipShelf;
  readonly workload: Workload;
  readonly crew: CrewPlan;
}

const open = async (asked: RunOrder, environment: NodeJS.ProcessEnv): Promise<Opened> => {
  const { plan, folder: home, clips, workload } = await readPlanWithFiles(asked.source);
  const hash = planHash(plan);
  const lines = asked.observations !== undefined;
  const crew = crewPlanFor(plan, asked.slice, { planHash: hash, folder: home, lines });
  const folder = await (asked.out === undefined
    ? openRunFolder(join('reports', folderName(wallClock(), plan.name)))
    : openNamedFolder(asked.out, asked));
  let observations: LineFile | null = null;
  let further: FurtherReports | null = null;
  try {
    further = await openFurtherReports(asked.further, environment);
    if (asked.observations !== undefined) observations = await openLineFile(asked.observations);
    const target = await readyTarget(plan, home);
    return { plan, hash, folder, further, observations, target, clips, workload, crew };
  } catch (error) {
    await observations?.discard();
    await further?.discard();
    await folder.discard();
    throw error;
  }
};

/** The reference gateway's counters, or a note that it could not be asked: the run's own figures stand either way. */
const askWitness = async (
  mock: MockProcess | null,
): Promise<{ readonly witness: Result['witness']; readonly notes: readonly string[] }> => {
  if (mock === null) return { witness: null, notes: [] };
  try {
    return { witness: await readWitness(mock), notes: [] };
  } catch {
    const note =
      'The reference gateway could not be asked for its counters: its process has ended or does not answer.';
    return { witness: null, notes: [note] };
  }
};

/** What this thread and the workers have recorded. */
const wholeTally = (own: Tally, { parts }: Driven): Tally =>
  parts.reduce((sum, part) => mergeTallies(sum, fromResult(part)), own);

/** Nothing is shown. */
const quietly = { note: () => undefined, add: () => undefined, draw: () => undefined };

/** Drives the plan and returns its result, without a prompt or anything secret in it. */
const runOpened = async (
  opened: Opened,
  asked: RunOrder,
): Promise<{ readonly result: Result; readonly driven: Driven }> => {
  const { plan, hash, observations, target } = opened;
  const order = orderFor(opened, asked);
  const screen = screenOn(process.stderr, process.env);
  const say = (text: string): void => {
    if (!asked.quiet) screen.line(text);
  };
  for (const line of traceNeeds(plan)) say(line);
  const tally = emptyTally(plan);
  const watch = watchObjectives(plan);
  const planned = { name: plan.name, scheduled: milliseconds(scheduledEnd(plan)) };
  const watching: Watch = {
    live: asked.quiet ? quietly : liveOn(screen, planned),
    say,
    begun: (startedAt, machineZero) => {
      const { runId } = order;
      observations?.write(
        observationsHeader({ weir: weirVersion(), planHash: hash, runId, startedAt, machineZero }),
      );
    },
    breach: watch.breach,
    record: (observation) => {
      record(tally, observation);
      watch.note(observation);
      observations?.write(observationLine(observation));
    },
    heard: ({ lines, observations: told }) => {
      for (const line of lines) observations?.write(line);
      for (const observation of told) watch.note(observation);
    },
  };
  const driven = await drive(order, target, watching, opened.crew);
  screen.clear();
  const { witness, notes } = await askWitness(target.mock);
  const result = toResult(wholeTally(tally, driven), {
    ...{ weir: weirVersion(), runId: order.runId, planHash: hash },
    plan: withoutPrompts(plan),
    slices: [...driven.slices],
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

/** Runs a plan once and publishes what came of it, told as `telling` says, and on the job's page that its environment names. */
export const runOnce = async (
  asked: RunOrder,
  telling: Pick<Telling, 'json' | 'quiet'> & { readonly environment: NodeJS.ProcessEnv },
): Promise<Ran> => {
  const opened = await open(asked, telling.environment);
  try {
    const { result, driven } = await runOpened(opened, asked);
    const judged = await publish(result, opened, telling);
    // After the reports: a full disk here must not cost them.
    await opened.observations?.close();
    if (asked.observations !== undefined && !asked.quiet) {
      toStderr(`Observations: ${asked.observations}`);
    }
    const exit = driven.stoppedBy === null ? verdictExit(judged) : exitOfSignal[driven.stoppedBy];
    const ran = { ...judged, exit, file: join(opened.folder.path, 'result.json') };
    await keepInHistory(asked.history, ran);
    return ran;
  } finally {
    await opened.target.mock?.stop();
  }
};

/** Runs a plan and publishes what came of it; the exit says how it ended. */
export const run = async (asked: RunOrder): Promise<ExitName> =>
  (await runOnce(asked, { ...asked, environment: process.env })).exit;
