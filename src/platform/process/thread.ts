import { parentPort, Worker, workerData } from 'node:worker_threads';

/** A thread with an event loop of its own, and what goes to and fro. */
export interface Thread<Message> {
  post(request: Message): void;
  /** Resolves once the thread is gone: with `null` when it ended by itself, else with why. */
  readonly ended: Promise<string | null>;
  /** Ends it at once, wherever it is. */
  end(): Promise<unknown>;
}

/** What a failed thread says of itself; its stack is of use to nobody who runs a test. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Starts `entry` as a thread with `brought`; `heard` gets each of its reports. */
export const startThread = <Message>(
  entry: URL,
  input: unknown,
  onMessage: (report: unknown) => void,
): Thread<Message> => {
  const worker = new Worker(entry, { workerData: input });
  worker.on('message', onMessage);
  let reason: string | null = null;
  worker.on('error', (error: unknown) => {
    reason = reasonOf(error);
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  worker.on('exit', (code) => resolve(reason ?? (code === 0 ? null : `it ended with ${code}`)));
  return {
    post: (request) => worker.postMessage(request, []),
    ended: promise,
    end: () => worker.terminate(),
  };
};

/** The other side: what this thread was brought, and its way to the thread that started it. */
export interface CurrentThread<Input, Message, Report> {
  readonly input: Input;
  post(report: Report): void;
  /** Takes orders until `leave` is called: a thread that listens does not end. */
  listen(onMessage: (request: Message) => void): void;
  close(): void;
}

export const currentThread = <Input, Message, Report>(): CurrentThread<Input, Message, Report> => {
  const port = parentPort;
  if (port === null) throw new Error('this is started as a thread only');
  return {
    input: workerData as Input,
    post: (report) => port.postMessage(report),
    listen: (onMessage) => port.on('message', onMessage),
    close: () => port.close(),
  };
};
