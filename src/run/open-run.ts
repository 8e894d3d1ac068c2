import { join } from 'node:path';
import { type Plan, saturateLoadOf } from '../model/plan/plan.ts';
import { openNewRunFolder, type RunFolder } from '../platform/files/run-folder.ts';
import { keyShareProblem } from '../engine/pace-queue.ts';
import { Problem } from '../platform/problem.ts';
import { UndoStack } from '../platform/undo-stack.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';
import { openCanary } from './canary.ts';
import { checkpointFileName, folderFor } from './input/report-paths.ts';
import type { Host } from './input/host.ts';
import { readPlanWithFiles, type ReadPlanWithFiles } from './input/read-plan.ts';
import { defaultRunId, type RunFacts, runFacts } from './input/run-facts.ts';
import type { RunRequest } from './input/run-request.ts';
import type { Environment } from '../scenario/text/environment-template.ts';
import { type ExtraReports, openExtraReports } from './output/extra-reports.ts';
import { openOutputFolder } from './output/output-folder.ts';
import { prepareTargets, sliceOptionsFor } from './target/prepare-targets.ts';
import { assertStartAhead } from './start-at.ts';
import { type CheckpointSink, keepCheckpoint, writeCheckpoints } from './watch/checkpoint.ts';
import { displayedRun, openLiveDisplay } from './watch/live-display.ts';
import type { RunObserver } from './watch/observer.ts';
import { clippedTraces, droppedPrompts } from '../report/summary/workload-text.ts';
import { openRecorder, type RunRecorder } from './watch/recorder.ts';
import { rejectUntil, slicesNeedLength } from './input/reject-until.ts';
import { createSnapshotPace, type SnapshotPace } from './watch/snapshot-pace.ts';
import type { ServerWatch } from './watch/server-metrics.ts';
import { planWorkerPool } from './workers/worker-pool-plan.ts';

/** Throws a `Problem` for options that are not possible with a `saturate` load. */
const rejectSaturationConflicts = (plan: Plan, { capture, slice }: RunRequest): void => {
  if (saturateLoadOf(plan) === null) return;
  if (capture !== undefined) {
    throw new Problem(
      '--capture reads Weir’s own transports, and a load of the kind "saturate" is sent by autocannon. Leave --capture out, or use the kind "closed"',
    );
  }
  if (slice.count > 1) {
    throw new Problem(
      '--slice: a load of the kind "saturate" has no shares: every machine would saturate the target by itself. Start a separate run on each machine, or use the kind "closed"',
    );
  }
};

const openFolder = async (
  { out, isRetry = false }: RunRequest,
  { name }: Plan,
  say: (text: string) => void,
): Promise<RunFolder | null> => {
  if (out === null) return null;
  return out === undefined
    ? openNewRunFolder(folderFor(out, name))
    : openOutputFolder(out, 'run', isRetry ? () => undefined : say);
};

/**
 * Returns whether keys are checked before the load. Keys are not checked if limits are judged, since the judge must
 * know every request that was sent with a key.
 */
const checksKeys = ({ limits }: Plan, { keyCheck = true }: RunRequest): boolean =>
  keyCheck && limits.limiter === null;

/**
 * Throws a `Problem` if the pace cannot be divided among `count` slices, since a slice's share of a key's limits would
 * be less than 1.
 */
export const rejectSmallShares = ({ pace, keys }: Plan, count: number): void => {
  const problem = keyShareProblem(pace, keys.length, count);
  if (problem !== null) throw new Problem(problem);
};

const planOf = ({ source }: RunRequest, environment: Environment) =>
  'plan' in source ? source : readPlanWithFiles(source, environment);

/** Returns an observer that ends the run when an objective with `abortAfter` is broken. */
const abortOnBreach = async (plan: Plan): Promise<RunObserver> => {
  if (plan.objectives.every(({ abortAfter }) => abortAfter === null)) return {};
  const { watchObjectives } = await import('../judge/objectives/abort-watch.ts');
  const watch = watchObjectives(plan);
  return {
    onObservation: watch.record,
    onWorkerUpdate: ({ observations }) => {
      for (const observation of observations) watch.record(observation);
    },
    findBreach: watch.breach,
  };
};

interface RunOpener extends Pick<Host, 'environment' | 'printer'> {
  /** Called when a reader of the live page asks the run to stop. */
  readonly requestStop: () => void;
}

const autocannonClient = () => import('../platform/http/autocannon-client.ts');

/** Throws a `Problem` if a saturating load cannot be sent. This check comes before anything is opened for the load. */
const checkSaturation = async (plan: Plan, request: RunRequest): Promise<void> => {
  rejectSaturationConflicts(plan, request);
  if (saturateLoadOf(plan) !== null) await (await autocannonClient()).loadAutocannon();
};

/**
 * Throws a `Problem` if the plan does not fit its own budget or pace, unless the user has agreed. Prints a line for
 * each objective that the plan cannot decide.
 */
const checkForecast = async (
  read: ReadPlanWithFiles,
  { yes }: RunRequest,
  say: (text: string) => void,
): Promise<void> => {
  const { budget, pace, objectives } = read.plan;
  if (budget === null && pace === null && objectives.length === 0) return;
  const { checkPlanFits, lateLookWarning, undecidableObjectives } = await import('./forecast.ts');
  if (!yes) checkPlanFits(read);
  for (const line of [...undecidableObjectives(read), ...(await lateLookWarning(read.plan))])
    say(line);
};

/**
 * The maximum time for child processes and sockets to close, in ms. Those that are still open after this time close
 * when this process ends.
 */
const closeTimeout = 5000;

class Openings {
  readonly observers: RunObserver[] = [];
  readonly #stops: (() => Promise<void> | undefined)[] = [];
  readonly #closing = new UndoStack();
  readonly #discarding = new UndoStack();

  constructor(folder: RunFolder | null) {
    this.#closing.defer(() => folder?.release());
    this.#closing.defer(() =>
      Promise.allSettled(this.observers.map(async ({ close }) => close?.())),
    );
    // Child processes are closed first, since this process cannot end before its child processes.
    this.#closing.defer(() => Promise.allSettled(this.#stops.map(async (stop) => stop())));
    this.#discarding.defer(() => folder?.discard());
    this.#discarding.defer(() => this.close());
    this.#discarding.defer(async () => {
      for (const { discard } of this.observers) await discard?.();
    });
  }

  addProcess(stop: () => Promise<void> | undefined): void {
    this.#stops.push(stop);
  }

  addReports(extraReports: ExtraReports): void {
    this.#discarding.defer(() => extraReports.discard());
  }

  /** Closes all parts. Must be called if the run sent a request. */
  close(): Promise<void> {
    return waitAtMost(closeTimeout, this.#closing.disposeAsync());
  }

  /** Closes all parts, and removes files that were opened for the run. Must be called if the run sent no request. */
  discard(): Promise<void> {
    return this.#discarding.disposeAsync();
  }
}

interface Opening {
  readonly read: ReadPlanWithFiles;
  readonly request: RunRequest;
  readonly opener: RunOpener;
  readonly facts: RunFacts;
  readonly recorder: RunRecorder;
  readonly pace: SnapshotPace;
  readonly folder: RunFolder | null;
  readonly openings: Openings;
}

const sameRefusalObservers = async ({
  earlyStop = false,
}: RunRequest): Promise<readonly RunObserver[]> =>
  earlyStop === false
    ? []
    : [(await import('./watch/same-refusal.ts')).endOnSameRefusal(earlyStop)];

/**
 * Adds each requested observer to `observers` as soon as it is open. Observers that few runs need are imported only
 * here, since each imported file delays the start by a third of a millisecond.
 */
const openObservers = async ({ read, request, opener, ...opening }: Opening): Promise<void> => {
  const { plan } = read;
  const { printer, requestStop } = opener;
  const { say, warn, screen } = printer;
  const { capture, observations, requests, metricsExport, live } = request;
  const { facts, recorder, pace } = opening;
  const { observers } = opening.openings;
  const folder = opening.folder?.path ?? null;
  const sinks: CheckpointSink[] = [];
  const open = (observer: RunObserver & CheckpointSink): void => {
    observers.push(observer);
    sinks.push(observer);
  };
  observers.push(recorder, await abortOnBreach(plan), ...(await sameRefusalObservers(request)));
  if (plan.until !== undefined)
    observers.push((await import('./watch/decide-apart.ts')).decideApart(plan, warn));
  if (observations !== undefined) {
    const { openObservationFile } = await import('./watch/request-files.ts');
    observers.push(await openObservationFile(observations, facts, say));
  }
  if (requests !== undefined) {
    const { openRequestsFile } = await import('./watch/request-files.ts');
    observers.push(await openRequestsFile(requests, plan, say));
  }
  if (capture !== undefined && folder !== null) {
    const { openCapture } = await import('./watch/capture.ts');
    observers.push(await openCapture(folder, capture));
  }
  if (folder !== null) open(await keepCheckpoint(join(folder, checkpointFileName), warn));
  if (live !== undefined && folder !== null) {
    const { openLivePage } = await import('./watch/live-page.ts');
    open(await openLivePage(live, { plan, folder, pace }, { warn, requestStop }));
  }
  observers.push(writeCheckpoints(sinks, recorder, facts, pace));
  if (screen !== null) observers.push(openLiveDisplay(screen, displayedRun(plan)));
  if (metricsExport.metrics !== null || metricsExport.otlp !== null) {
    const { openLiveMetrics } = await import('./watch/live-metrics.ts');
    const named = { runId: facts.runId, slice: request.slice };
    observers.push(await openLiveMetrics(plan, named, { ...metricsExport, say }));
  }
};

/** Opens everything that the run of a plan needs. `loops` is the number of event loops that send the load. */
const openParts = async (opening: Opening, loops: number, observe: (plan: Plan) => RunObserver) => {
  const { read, request, opener, openings, facts } = opening;
  const { plan } = read;
  const { say } = opener.printer;
  // The self-test streams start while all other parts are opened.
  const startingCanary = openCanary(plan, loops);
  openings.addProcess(async () => (await startingCanary).stop());
  const extraReports = await openExtraReports(request.extraReports, say);
  openings.addReports(extraReports);
  await openObservers(opening);
  openings.observers.push(observe(plan));
  const preparedTarget = await prepareTargets(read, {
    preflight: request.preflight,
    withKeys: checksKeys(plan, request),
    needsList: plan.stages.every(({ traffic }) => traffic.every(({ kind }) => kind === 'models')),
  });
  for (const mock of preparedTarget.mocks) openings.addProcess(() => mock.stop());
  const [{ baseUrl: url, wire }] = preparedTarget.targets;
  if (saturateLoadOf(plan) !== null)
    (await autocannonClient()).rejectUnsupportedTarget({ url, wire });
  const server: ServerWatch =
    plan.server === undefined
      ? { collected: () => undefined, notes: () => [] }
      : (await import('./watch/server-metrics.ts')).watchServer(
          plan,
          preparedTarget.targets[0],
          say,
        );
  openings.observers.push(server);
  const canary = await startingCanary;
  // These notes are collected before the load, since the checkpoint must also contain them.
  const notes = [
    ...droppedPrompts(plan),
    ...clippedTraces(plan),
    ...preparedTarget.notes,
    ...canary.notes,
  ];
  const target = { ...preparedTarget, notes };
  const options = sliceOptionsFor(read, target, { ...request, runId: facts.runId });
  return { options, extraReports, server, target, canary };
};

/**
 * Reads the plan and opens everything that its run needs. After a failure, closes everything that is open, and throws.
 * `observe` returns an observer that the caller adds.
 */
export const openRun = async (
  request: RunRequest,
  opener: RunOpener,
  observe: (plan: Plan) => RunObserver,
) => {
  const { environment, printer } = opener;
  assertStartAhead(request.startAt);
  const read = await planOf(request, environment);
  const { plan } = read;
  await checkSaturation(plan, request);
  rejectSmallShares(plan, request.slice.count);
  if (request.slice.count > 1) rejectUntil(plan, slicesNeedLength);
  const pace = createSnapshotPace();
  const workerPool = await planWorkerPool(read, request.slice, request, pace);
  await checkForecast(read, request, printer.say);
  const folder = await openFolder(request, plan, printer.say);
  const openings = new Openings(folder);
  const facts = runFacts(plan, request.runId ?? defaultRunId(plan));
  const recorder = openRecorder(plan);
  const opening = { read, request, opener, facts, recorder, pace, folder, openings };
  try {
    const parts = await openParts(opening, workerPool?.workers ?? 1, observe);
    return { ...parts, facts, recorder, folder, workerPool, openings };
  } catch (error) {
    // If closing fails too, only the first error is reported.
    await openings.discard().catch(() => undefined);
    throw error;
  }
};

/** The opened parts of a run, before its first request. `folder` is `null` if the run writes no files. */
export type OpenedRun = Awaited<ReturnType<typeof openRun>>;
