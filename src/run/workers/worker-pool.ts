import { extname } from 'node:path';
import {
  createSharedBudget,
  type RunningSlice,
  type SliceEnd,
  type SliceOptions,
} from '../../engine/slice-options.ts';
import { splitSlice, type Slice } from '../../model/workload/arrival.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { Clock } from '../../model/clock.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { instant } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { startThread, type Thread } from '../../platform/process/thread.ts';
import { mergeSlices } from '../../record/merge-results.ts';
import type { WorkerPoolPlan } from './worker-pool-plan.ts';
import type { ReadyTarget } from '../target/prepare-target.ts';
import type { FromWorker, WorkerUpdate, ToWorker, WorkerSetup } from './worker-messages.ts';

/** Workers receive instant 0 this many ms in advance, so that all of them start on time. */
export const startDelay = 50;

const workerEntry = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

type FinishedMessage = Extract<FromWorker, { kind: 'over' }>;

interface PooledWorker {
  readonly slice: Slice;
  readonly thread: Thread<ToWorker>;
  latestUpdate: WorkerUpdate | null;
  /** Its result; `null` while it runs, and if it was lost. */
  finished: FinishedMessage | null;
  lossReason: string | null;
  /** Resolves with its result, or with the reason why there is none. */
  readonly ended: Promise<FinishedMessage | string | null>;
}

const clipsIn = (plan: Plan, library: ClipLibrary): WorkerSetup['clips'] =>
  plan.stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((each) => (each.kind === 'transcription' ? each.clips : []))
    .map((source) => [source, library.clipsOf(source)] as const);

type WorkerPoolOptions = WorkerPoolPlan & Pick<WorkerSetup, 'canary'>;

const commonSetupFor = (
  { plan, slice, runId, credentials, headers, userAgent, clips }: SliceOptions,
  { baseUrl, wire, certificates, secrets, notes }: ReadyTarget,
  { planHash, baseFolder, reporting, canary }: WorkerPoolOptions,
): Omit<WorkerSetup, 'slice'> => ({
  plan,
  planHash,
  runId,
  credentials,
  headers,
  userAgent,
  baseFolder,
  reporting,
  notes,
  canary,
  secrets: [...secrets, ...credentials.map(({ value }) => value)],
  clips: clipsIn(plan, clips),
  targetAddress: { baseUrl, wire, certificates },
  sharedBudget: createSharedBudget(slice),
});

/** Starts a worker and waits until it is ready. A worker that does not become ready is a bug. */
const startWorker = async (
  setup: WorkerSetup,
  onUpdate: (worker: PooledWorker, update: WorkerUpdate) => void,
): Promise<PooledWorker> => {
  const ready = Promise.withResolvers<null>();
  const over = Promise.withResolvers<FinishedMessage>();
  const thread = startThread<ToWorker>(workerEntry, setup, (message) => {
    const report = message as FromWorker;
    if (report.kind === 'ready') ready.resolve(null);
    else if (report.kind === 'update') onUpdate(worker, report);
    else over.resolve(report);
  });
  const worker: PooledWorker = {
    slice: setup.slice,
    thread,
    latestUpdate: null,
    finished: null,
    lossReason: null,
    ended: Promise.race([over.promise, thread.ended]),
  };
  const failed = await Promise.race([
    ready.promise,
    thread.ended.then((why) => why ?? 'no reason'),
  ]);
  if (failed !== null) throw new Error(`a worker could not start: ${failed}`);
  return worker;
};

/** Starts a worker for each slice. If one fails, stops all of them and throws. */
const startWorkers = async (
  setups: readonly WorkerSetup[],
  onUpdate: (worker: PooledWorker, update: WorkerUpdate) => void,
): Promise<readonly PooledWorker[]> => {
  const starts = await Promise.allSettled(setups.map((setup) => startWorker(setup, onUpdate)));
  const workers = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return workers;
  await Promise.all(workers.map(({ thread }) => thread.end()));
  throw failure.reason;
};

/** Combines the ends of the finished workers; throws if there are none. */
const endOf = (workers: readonly PooledWorker[]): SliceEnd => {
  const finishedMessages = workers.flatMap(({ finished }) => finished ?? []);
  if (finishedMessages.length === 0)
    throw new Error(workers.map(({ lossReason }) => lossReason).join('; '));
  return {
    loadEnded: instant(Math.max(...finishedMessages.map(({ result }) => result.scheduled))),
    stopped: finishedMessages.some(({ cut }) => cut),
    spent: finishedMessages.find(({ spent }) => spent !== null)?.spent ?? null,
    notes: [...new Set(finishedMessages.flatMap(({ result }) => result.notes))],
  };
};

/** Waits for a worker's end and keeps its result; `text` masks secrets. */
const watchEnd = async (worker: PooledWorker, text: (why: string) => string): Promise<void> => {
  const end = await worker.ended;
  if (typeof end === 'object' && end !== null) worker.finished = end;
  else worker.lossReason = text(end ?? 'it ended unexpectedly');
};

/** Resolves at instant 0. */
const clockStarted = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const stop = clock.every(1, () => {
      if (clock.now() < 0) return;
      stop();
      resolve();
    });
  });

/** The workers as one running slice. */
const combineWorkers = (
  workers: readonly PooledWorker[],
  done: Promise<SliceEnd>,
): RunningSlice => ({
  done,
  progress: () => ({
    due: workers.reduce((sum, { latestUpdate }) => sum + (latestUpdate?.progress.due ?? 0), 0),
    inFlight: workers.reduce(
      (sum, { latestUpdate, lossReason }) =>
        sum + (lossReason === null ? (latestUpdate?.progress.inFlight ?? 0) : 0),
      0,
    ),
  }),
  stop: (grace) => {
    for (const { thread } of workers) thread.post({ kind: 'stop', grace });
  },
});

/**
 * Starts the workers of a slice and waits until all are ready. They begin together; one that fails
 * afterwards is lost with its slice, and the others continue.
 */
export const openWorkerPool = async (
  request: SliceOptions,
  target: ReadyTarget,
  plan: WorkerPoolOptions,
) => {
  let listener: (update: WorkerUpdate) => void = () => undefined;
  const commonSetup = commonSetupFor(request, target, plan);
  const onUpdate = (worker: PooledWorker, update: WorkerUpdate): void => {
    worker.latestUpdate = update;
    listener(update);
  };
  const slices = splitSlice(request.slice, plan.workers);
  const workers = await startWorkers(
    slices.map((slice) => ({ ...commonSetup, slice })),
    onUpdate,
  );
  const parts = (): readonly Result[] => workers.flatMap(({ finished }) => finished?.result ?? []);
  return {
    begin: (
      moment: { readonly startedAt: string; readonly machineZero: number },
      onStartedUpdate: (update: WorkerUpdate) => void,
    ): RunningSlice => {
      listener = onStartedUpdate;
      for (const { thread } of workers) thread.post({ kind: 'begin', ...moment });
      const ends = workers.map((worker, i) => {
        const { index, count } = slices[i]!;
        return watchEnd(
          worker,
          (why) =>
            `worker ${index}/${count} crashed (${request.redact(why)}), and what its slice had measured is lost`,
        );
      });
      return combineWorkers(
        workers,
        Promise.all(ends).then(() => endOf(workers)),
      );
    },
    begun: clockStarted,
    end: () => ({
      slices: mergeSlices(parts()),
      workerResults: parts(),
      lostSlices: workers.flatMap(({ lossReason }) => lossReason ?? []),
    }),
    close: async (): Promise<void> => {
      await Promise.all(workers.map(({ thread }) => thread.end()));
    },
  };
};
