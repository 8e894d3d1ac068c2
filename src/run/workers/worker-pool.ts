import { extname } from 'node:path';
import {
  createSharedBudget,
  type RunningSlice,
  type SliceEnd,
  type SliceProgress,
  type SliceOptions,
} from '../../engine/slice-options.ts';
import { splitSlice } from '../../model/workload/arrival.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { instant } from '../../model/quantity.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import { startThread, type Thread } from '../../platform/process/thread.ts';
import { mergeSlices } from '../../record/merge-results.ts';
import type {
  WorkerPoolPlan,
  FromWorker,
  WorkerUpdate,
  ToWorker,
  WorkerSetup,
} from './worker-pool-plan.ts';
import type { ReadyTargets } from '../target/prepare-targets.ts';

const workerEntry = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

type FinishedMessage = Extract<FromWorker, { kind: 'over' }>;

interface PooledWorker {
  readonly thread: Thread<ToWorker>;
  latestUpdate: WorkerUpdate | null;
  /**
   * The worker's last message, or a sentence that says why the worker ended without its last message; `null` while the
   * worker runs.
   */
  end: FinishedMessage | string | null;
  /** Resolves when `end` is known. */
  readonly ended: Promise<void>;
}

const clipsIn = (plan: Plan, library: ClipLibrary) =>
  plan.stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((each) => (each.kind === 'transcription' ? each.clips : []))
    .map((source) => [JSON.stringify(source), library.clipsOf(source)] as const);

type WorkerPoolOptions = WorkerPoolPlan & Pick<WorkerSetup, 'canary'>;

const setupsFor = (
  sliceOptions: SliceOptions,
  { targets, baseUrl, secrets, notes }: ReadyTargets,
  { workers, baseFolder, reporting, pace, canary }: WorkerPoolOptions,
): readonly WorkerSetup[] => {
  const { slice: whole, clips, workload: _, redact: __, ...options } = sliceOptions;
  const { plan } = options;
  const common = {
    baseFolder,
    reporting,
    pace,
    machine: thisMachine(),
    notes,
    canary,
    secrets,
    clips: new Map(clipsIn(plan, clips)),
    targetAddresses: targets.map(({ baseUrl: address, wire, certificates }) => ({
      baseUrl: address,
      wire,
      certificates,
    })),
    baseUrl,
    options: { ...options, sharedBudget: createSharedBudget(whole) },
  };
  return splitSlice(whole, workers).map((slice) => ({ ...common, slice }));
};

type OnUpdate = (worker: PooledWorker, update: WorkerUpdate) => void;

/** Starts a worker and waits until it is ready. Throws if it ends before, which is a bug of Weir. */
const startWorker = async (
  setup: WorkerSetup,
  onUpdate: OnUpdate,
  redact: SliceOptions['redact'],
  start: typeof startThread,
): Promise<PooledWorker> => {
  const ready = Promise.withResolvers<null>();
  const over = Promise.withResolvers<FinishedMessage>();
  const thread = start<ToWorker>(workerEntry, setup, (message) => {
    const report = message as FromWorker;
    if (report.kind === 'ready') ready.resolve(null);
    else if (report.kind === 'update') onUpdate(worker, report);
    else over.resolve(report);
  });
  const { index, count } = setup.slice;
  const lossText = (reason: string | null): string =>
    `worker ${index}/${count} crashed (${redact(reason ?? 'it ended unexpectedly')}), and what its slice had measured is lost`;
  const worker: PooledWorker = {
    thread,
    latestUpdate: null,
    end: null,
    ended: Promise.race([over.promise, thread.ended.then(lossText)]).then((end) => {
      worker.end = end;
    }),
  };
  const failed = await Promise.race([
    ready.promise,
    thread.ended.then((why) => why ?? 'no reason'),
  ]);
  if (failed !== null) throw new Error(`a worker could not start: ${failed}`);
  return worker;
};

/** Waits for all workers to start. If a worker cannot be started, stops all other workers and throws. */
const startWorkers = async (
  starting: readonly Promise<PooledWorker>[],
): Promise<readonly PooledWorker[]> => {
  const starts = await Promise.allSettled(starting);
  const workers = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return workers;
  await Promise.all(workers.map(({ thread }) => thread.end()));
  throw failure.reason;
};

const finishedOf = (workers: readonly PooledWorker[]): readonly FinishedMessage[] =>
  workers.flatMap(({ end }) => (end === null || typeof end === 'string' ? [] : end));

const lossesOf = (workers: readonly PooledWorker[]): readonly string[] =>
  workers.flatMap(({ end }) => (typeof end === 'string' ? end : []));

const endOf = (workers: readonly PooledWorker[]): SliceEnd => {
  const finished = finishedOf(workers);
  if (finished.length === 0) throw new Error(lossesOf(workers).join('; '));
  return {
    loadEnded: instant(Math.max(...finished.map(({ result }) => result.scheduled))),
    stopped: finished.some(({ cut }) => cut),
    spent: finished.find(({ spent }) => spent !== null)?.spent ?? null,
    lostLease: finished.some(({ lostLease }) => lostLease),
    notes: [...new Set(finished.flatMap(({ result }) => result.notes))],
  };
};

/** Returns the progress of all workers together. The requests in flight of a lost worker are not counted. */
export const progressOf = (
  workers: readonly {
    readonly latestUpdate: Pick<WorkerUpdate, 'progress'> | null;
    readonly end: PooledWorker['end'];
  }[],
): SliceProgress => {
  let [due, inFlight, endedBefore] = [0, 0, Number.POSITIVE_INFINITY];
  for (const { latestUpdate, end } of workers) {
    due += latestUpdate?.progress.due ?? 0;
    if (end !== null) continue;
    inFlight += latestUpdate?.progress.inFlight ?? 0;
    endedBefore = Math.min(endedBefore, latestUpdate?.progress.endedBefore ?? 0);
  }
  // `endedBefore` is unknown once no worker runs.
  return Number.isFinite(endedBefore)
    ? { due, inFlight, endedBefore: instant(endedBefore) }
    : { due, inFlight };
};

/**
 * Starts the workers of a slice and waits until all workers are ready. If a worker fails later, its part of the slice
 * is lost, and the other workers continue.
 */
export const openWorkerPool = async (
  options: SliceOptions,
  target: ReadyTargets,
  plan: WorkerPoolOptions,
  start = startThread,
) => {
  let listener: (update: WorkerUpdate) => void = () => undefined;
  const onUpdate: OnUpdate = (worker, update) => {
    worker.latestUpdate = update;
    listener(update);
  };
  const workers = await startWorkers(
    setupsFor(options, target, plan).map((setup) =>
      startWorker(setup, onUpdate, options.redact, start),
    ),
  );
  const postToAll = (message: ToWorker): void => {
    for (const { thread } of workers) thread.post(message);
  };
  return {
    begin: (
      moment: { readonly startedAt: string; readonly machineZero: number },
      onStartedUpdate: (update: WorkerUpdate) => void,
    ): RunningSlice => {
      listener = onStartedUpdate;
      postToAll({ kind: 'begin', ...moment });
      return {
        done: Promise.all(workers.map(({ ended }) => ended)).then(() => endOf(workers)),
        progress: () => progressOf(workers),
        stop: (grace) => postToAll({ kind: 'stop', grace }),
        endLoad: () => postToAll({ kind: 'end' }),
      };
    },
    renewKey: (index: number, value: string): void => postToAll({ kind: 'key', index, value }),
    end: () => {
      const workerResults = finishedOf(workers).map(({ result }) => result);
      return { slices: mergeSlices(workerResults), workerResults, lostSlices: lossesOf(workers) };
    },
    close: async (): Promise<void> => {
      await Promise.all(workers.map(({ thread }) => thread.end()));
    },
  };
};
