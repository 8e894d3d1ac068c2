import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Thread<Message> {
  post(request: Message): void;
  /** Resolves when the thread has ended: with `null` after a normal end, otherwise with the reason. */
  readonly ended: Promise<string | null>;
  end(): Promise<unknown>;
}

/** Returns the name and message of an error that ended a thread, without the stack. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Starts `entry` as a thread with `input`. `onMessage` receives each message that the thread posts. */
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

export interface CurrentThread<Input, Message, Report> {
  readonly input: Input;
  post(report: Report): void;
  /** Receives messages until `close` is called. A thread that receives messages does not end. */
  listen(onMessage: (request: Message) => void): void;
  close(): void;
}

export const currentThread = <Input, Message, Report>(): CurrentThread<Input, Message, Report> => {
  const port = parentPort;
  if (port === null) throw new Error('this file must be started as a thread');
  return {
    input: workerData as Input,
    post: (report) => port.postMessage(report),
    listen: (onMessage) => port.on('message', onMessage),
    close: () => port.close(),
  };
};
