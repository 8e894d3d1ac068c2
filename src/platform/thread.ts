import { parentPort, Worker, workerData } from 'node:worker_threads';

/** A thread with an event loop of its own, and what goes to and fro. */
export interface Thread<Order> {
  tell(order: Order): void;
  /** Resolves once the thread is gone: with `null` when it ended by itself, else with why. */
  readonly gone: Promise<string | null>;
  /** Ends it at once, wherever it is. */
  end(): Promise<unknown>;
}

/** What a failed thread says of itself; its stack is of use to nobody who runs a test. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Starts `entry` as a thread with `brought`; `heard` gets each of its reports. */
export const startThread = <Order>(
  entry: URL,
  brought: unknown,
  heard: (report: unknown) => void,
): Thread<Order> => {
  const worker = new Worker(entry, { workerData: brought });
  worker.on('message', heard);
  let reason: string | null = null;
  worker.on('error', (error: unknown) => {
    reason = reasonOf(error);
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  worker.on('exit', (code) => resolve(reason ?? (code === 0 ? null : `it ended with ${code}`)));
  return {
    tell: (order) => worker.postMessage(order, []),
    gone: promise,
    end: () => worker.terminate(),
  };
};

/** The other side: what this thread was brought, and its way to the thread that started it. */
export interface OwnThread<Brought, Order, Report> {
  readonly brought: Brought;
  tell(report: Report): void;
  /** Takes orders until `leave` is called: a thread that listens does not end. */
  listen(heard: (order: Order) => void): void;
  leave(): void;
}

export const ownThread = <Brought, Order, Report>(): OwnThread<Brought, Order, Report> => {
  const port = parentPort;
  if (port === null) throw new Error('this is started as a thread only');
  return {
    brought: workerData as Brought,
    tell: (report) => port.postMessage(report),
    listen: (heard) => port.on('message', heard),
    leave: () => port.close(),
  };
};
