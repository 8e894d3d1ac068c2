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

/** The beginning lies so many milliseconds ahead when it is told, so that every worker knows of it in time. */
export const startDelay = 50;

const workerEntry = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

type FinishedMessage = Extract<FromWorker, { kind: 'over' }>;

/** One worker, as the main thread sees it. */
interface PooledWorker {
  readonly slice: Slice;
  readonly thread: Thread<ToWorker>;
  latestUpdate: WorkerUpdate | null;
  /** What it came to, or why it was lost; `null` while it runs. */
  finished: FinishedMessage | null;
  lossReason: string | null;
  /** What it came to, or why it did not. */
  readonly ended: Promise<FinishedMessage | string | null>;
}

const clipsIn = (plan: Plan, shelf: ClipLibrary): WorkerSetup['clips'] =>
  plan.stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((each) => (each.kind === 'transcription' ? each.clips : []))
    .map((source) => [source, shelf.clipsOf(source)] as const);

/** A crew’s plan, and the canary that each of its loops reads. */
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

/** Starts a worker and waits until it is ready; one that never is has met a defect. */
const startWorker = async (
  request: WorkerSetup,
  onUpdate: (worker: PooledWorker, news: WorkerUpdate) => void,
): Promise<PooledWorker> => {
  const ready = Promise.withResolvers<null>();
  const over = Promise.withResolvers<FinishedMessage>();
  const thread = startThread<ToWorker>(workerEntry, request, (message) => {
    const report = message as FromWorker;
    if (report.kind === 'ready') ready.resolve(null);
    else if (report.kind === 'news') onUpdate(worker, report);
    else over.resolve(report);
  });
  const worker: PooledWorker = {
    slice: request.slice,
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
  if (failed !== null) throw new Error(`a worker could not be made ready: ${failed}`);
  return worker;
};

/** Starts a worker for each slice; where one cannot be made ready none is left, and it throws. */
const startWorkers = async (
  orders: readonly WorkerSetup[],
  onUpdate: (worker: PooledWorker, news: WorkerUpdate) => void,
): Promise<readonly PooledWorker[]> => {
  const starts = await Promise.allSettled(orders.map((request) => startWorker(request, onUpdate)));
  const workers = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return workers;
  await Promise.all(workers.map(({ thread }) => thread.end()));
  throw failure.reason;
};

/** What the ends of those come to that came to one; throws if none did. */
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

/** Waits for a worker's end and keeps what it came to; `text` masks secrets. */
const watchEnd = async (worker: PooledWorker, text: (why: string) => string): Promise<void> => {
  const end = await worker.ended;
  if (typeof end === 'object' && end !== null) worker.finished = end;
  else worker.lossReason = text(end ?? 'it ended by itself');
};

/** Resolves once the clock has begun. */
const clockStarted = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const stop = clock.every(1, () => {
      if (clock.now() < 0) return;
      stop();
      resolve();
    });
  });

/** The workers as one running slice: what one is told, all are told, and their motion is added up. */
const combineWorkers = (
  workers: readonly PooledWorker[],
  done: Promise<SliceEnd>,
): RunningSlice => ({
  done,
  progress: () => ({
    due: workers.reduce((sum, { latestUpdate }) => sum + (latestUpdate?.motion.due ?? 0), 0),
    inFlight: workers.reduce(
      (sum, { latestUpdate, lossReason }) =>
        sum + (lossReason === null ? (latestUpdate?.motion.inFlight ?? 0) : 0),
      0,
    ),
  }),
  stop: (grace) => {
    for (const { thread } of workers) thread.post({ kind: 'stop', grace });
  },
});

/**
 * Starts the workers of a slice and waits until all are ready. They begin together; one that fails
 * afterwards is lost with its slice, and the others go on.
 */
export const openWorkerPool = async (
  request: SliceOptions,
  target: ReadyTarget,
  plan: WorkerPoolOptions,
) => {
  let listener: (news: WorkerUpdate) => void = () => undefined;
  const commonSetup = commonSetupFor(request, target, plan);
  const onUpdate = (worker: PooledWorker, news: WorkerUpdate): void => {
    worker.latestUpdate = news;
    listener(news);
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
      onStartedUpdate: (news: WorkerUpdate) => void,
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
