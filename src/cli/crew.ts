import { extname } from 'node:path';
import { openAccount } from '../engine/purse.ts';
import type { RunningSlice, SliceEnd, SliceOrder } from '../engine/slice-order.ts';
import { partsOf, type Slice } from '../model/arrival.ts';
import type { ClipShelf } from '../model/clip.ts';
import type { Clock } from '../model/clock.ts';
import type { Plan } from '../model/plan.ts';
import { instant } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import { startThread, type Thread } from '../platform/thread.ts';
import { slicesOf } from '../record/slices-of.ts';
import type { CrewPlan } from './crew-plan.ts';
import type { ReadyTarget } from './target.ts';
import type { FromWorker, News, ToWorker, WorkerOrder } from './worker-messages.ts';

/** The beginning lies so many milliseconds ahead when it is told, so that every worker knows of it in time. */
export const crewLead = 50;

const entry = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

type Over = Extract<FromWorker, { kind: 'over' }>;

/** One worker, as the main thread sees it. */
interface Worker {
  readonly slice: Slice;
  readonly thread: Thread<ToWorker>;
  news: News | null;
  /** What it came to, or why it was lost; `null` while it runs. */
  over: Over | null;
  lost: string | null;
  /** What it came to, or why it did not. */
  readonly ended: Promise<Over | string | null>;
}

const clipsIn = (plan: Plan, shelf: ClipShelf): WorkerOrder['clips'] =>
  plan.stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((each) => (each.kind === 'transcription' ? each.clips : []))
    .map((source) => [source, shelf.clipsOf(source)] as const);

/** A crew’s plan, and the canary that each of its loops reads. */
type ReadyCrew = CrewPlan & Pick<WorkerOrder, 'canary'>;

const orderFor = (
  { plan, slice, runId, credentials, headers, userAgent, clips }: SliceOrder,
  { baseUrl, wire, certificates, secrets, notes }: ReadyTarget,
  { planHash, folder, wants, canary }: ReadyCrew,
): Omit<WorkerOrder, 'slice'> => ({
  ...{ plan, planHash, runId, credentials, headers, userAgent, folder, wants, notes, canary },
  secrets: [...secrets, ...credentials.map(({ value }) => value)],
  clips: clipsIn(plan, clips),
  way: { baseUrl, wire, certificates },
  account: openAccount(slice),
});

/** Starts a worker and waits until it is ready; one that never is has met a defect. */
const startWorker = async (
  order: WorkerOrder,
  heard: (worker: Worker, news: News) => void,
): Promise<Worker> => {
  const ready = Promise.withResolvers<null>();
  const over = Promise.withResolvers<Over>();
  const thread = startThread<ToWorker>(entry, order, (message) => {
    const report = message as FromWorker;
    if (report.kind === 'ready') ready.resolve(null);
    else if (report.kind === 'news') heard(worker, report);
    else over.resolve(report);
  });
  const worker: Worker = {
    ...{ slice: order.slice, thread, news: null, over: null, lost: null },
    ended: Promise.race([over.promise, thread.gone]),
  };
  const failed = await Promise.race([ready.promise, thread.gone.then((why) => why ?? 'no reason')]);
  if (failed !== null) throw new Error(`a worker could not be made ready: ${failed}`);
  return worker;
};

/** Starts a worker for each slice; where one cannot be made ready none is left, and it throws. */
const startWorkers = async (
  orders: readonly WorkerOrder[],
  heard: (worker: Worker, news: News) => void,
): Promise<readonly Worker[]> => {
  const starts = await Promise.allSettled(orders.map((order) => startWorker(order, heard)));
  const workers = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure === undefined) return workers;
  await Promise.all(workers.map(({ thread }) => thread.end()));
  throw failure.reason;
};

/** What the ends of those come to that came to one; throws if none did. */
const endOf = (workers: readonly Worker[]): SliceEnd => {
  const overs = workers.flatMap(({ over }) => over ?? []);
  if (overs.length === 0) throw new Error(workers.map(({ lost }) => lost).join('; '));
  return {
    loadEnded: instant(Math.max(...overs.map(({ result }) => result.scheduled))),
    stopped: overs.some(({ cut }) => cut),
    spent: overs.find(({ spent }) => spent !== null)?.spent ?? null,
    notes: [...new Set(overs.flatMap(({ result }) => result.notes))],
  };
};

/** Waits for a worker's end and keeps what it came to; `text` masks secrets. */
const watchEnd = async (worker: Worker, text: (why: string) => string): Promise<void> => {
  const end = await worker.ended;
  if (typeof end === 'object' && end !== null) worker.over = end;
  else worker.lost = text(end ?? 'it ended by itself');
};

/** Resolves once the clock has begun. */
const begun = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const stop = clock.every(1, () => {
      if (clock.now() < 0) return;
      stop();
      resolve();
    });
  });

/** The workers as one running slice: what one is told, all are told, and their motion is added up. */
const asOne = (workers: readonly Worker[], done: Promise<SliceEnd>): RunningSlice => ({
  done,
  motion: () => ({
    due: workers.reduce((sum, { news }) => sum + (news?.motion.due ?? 0), 0),
    inFlight: workers.reduce(
      (sum, { news, lost }) => sum + (lost === null ? (news?.motion.inFlight ?? 0) : 0),
      0,
    ),
  }),
  stop: (grace) => {
    for (const { thread } of workers) thread.tell({ kind: 'stop', grace });
  },
});

/**
 * Starts the workers of a slice and waits until all are ready. They begin together; one that fails
 * afterwards is lost with its slice, and the others go on.
 */
export const readyCrew = async (order: SliceOrder, target: ReadyTarget, plan: ReadyCrew) => {
  let listener: (news: News) => void = () => undefined;
  const common = orderFor(order, target, plan);
  const heard = (worker: Worker, news: News): void => {
    worker.news = news;
    listener(news);
  };
  const slices = partsOf(order.slice, plan.workers);
  const workers = await startWorkers(
    slices.map((slice) => ({ ...common, slice })),
    heard,
  );
  const parts = (): readonly Result[] => workers.flatMap(({ over }) => over?.result ?? []);
  return {
    begin: (
      moment: { readonly startedAt: string; readonly machineZero: number },
      told: (news: News) => void,
    ): RunningSlice => {
      listener = told;
      for (const { thread } of workers) thread.tell({ kind: 'begin', ...moment });
      const ends = workers.map((worker, i) => {
        const { index, count } = slices[i]!;
        return watchEnd(
          worker,
          (why) =>
            `worker ${index}/${count} crashed (${order.redact(why)}), and what its slice had measured is lost`,
        );
      });
      return asOne(
        workers,
        Promise.all(ends).then(() => endOf(workers)),
      );
    },
    begun,
    end: () => ({
      slices: slicesOf(parts()),
      parts: parts(),
      lost: workers.flatMap(({ lost }) => lost ?? []),
    }),
    close: async (): Promise<void> => {
      await Promise.all(workers.map(({ thread }) => thread.end()));
    },
  };
};
