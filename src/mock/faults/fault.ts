import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from '../http/event-stream.ts';
import type { MockExchange } from '../http/mock-exchange.ts';

/** One request with a fault. */
export interface FaultContext {
  readonly exchange: MockExchange;
  readonly clock: MockClock;
  /** Tokens of a stream, or bytes of another answer, before the fault. */
  readonly after: number;
  /** How long the fault waits, in ms. */
  readonly delay: number;
}

type RunFault = (context: FaultContext) => void;

/** How a stream's events reach the wire. */
export type StreamFault = (stream: EventStream, context: FaultContext) => EventStream;

/** The defaults of a fault's parameters. */
type Defaults = Partial<Pick<FaultContext, 'after' | 'delay'>>;

interface StreamOptions extends Defaults {
  readonly head?: Readonly<Record<string, string>>;
}

/**
 * A fault. `gate` answers before credits and limits are checked, `answer` instead of the endpoint; `whole` changes any
 * answer of the endpoint, `stream` only streamed chats.
 */
export type MockFault =
  | ({ readonly scope: 'gate' | 'answer' | 'whole'; readonly run: RunFault } & Defaults)
  | ({ readonly scope: 'stream'; readonly shape: StreamFault } & StreamOptions);

export const whole = (run: RunFault, defaults: Defaults = {}): MockFault => ({
  scope: 'whole',
  run,
  ...defaults,
});
export const stream = (shape: StreamFault, options: StreamOptions = {}): MockFault => ({
  scope: 'stream',
  shape,
  ...options,
});

/** Before a reset, bytes that were written need this time to leave the machine, in ms. */
export const resetDelay = 20;

export const resetConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.resetAndDestroy();
};
/** Closes the connection in an orderly way, although the message is not complete. */
export const closeConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.end();
};

export const isEventStream = (headers: Readonly<Record<string, string>>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

/** The events of a text, each with its final blank line. */
export const splitEvents = (text: string): readonly string[] => text.split(/(?<=\n\n)/);

export const isToken = (event: string): boolean => event.includes('"delta":{"content":');
export const isDone = (event: string): boolean => event.startsWith('data: [DONE]');
/** Whether an event carries the finish reason. */
export const isFinish = (event: string): boolean => event.includes('"delta":{},"finish_reason":');

/** Writes bytes; an empty chunk would end the message. */
export const writeNonEmpty = (to: EventStream, bytes: string | Uint8Array): void => {
  if (bytes.length > 0) to.write(bytes);
};

/** Replaces each event by the result of `change`, which receives its index too. */
export const changeEvents =
  (change: (event: string, index: number) => string): StreamFault =>
  (inner) => {
    let index = 0;
    return {
      write: (events) => {
        const changed = splitEvents(String(events)).map((event) => change(event, index++));
        writeNonEmpty(inner, changed.join(''));
      },
      end: () => inner.end(),
    };
  };

/** A stream whose events are replaced independently of each other. */
export const changedEvents = (change: (event: string, index: number) => string): MockFault =>
  stream(changeEvents(change));
