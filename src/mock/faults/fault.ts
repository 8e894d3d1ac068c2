import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream, MockExchange } from '../http/mock-exchange.ts';

export interface FaultContext {
  readonly exchange: MockExchange;
  readonly clock: MockClock;
  /** How much is sent before the fault: tokens of a stream, or bytes of another answer. */
  readonly after: number;
  /** The delay that the fault uses, in ms: for example before the first byte, or between two bytes. */
  readonly delay: number;
  /**
   * Makes the end of the request count under the fault's name. Stream faults call `show` as soon as the stream begins.
   */
  readonly show: () => void;
}

type Defaults = Partial<Pick<FaultContext, 'after' | 'delay'>>;

/**
 * A fault. With the scope `gate`, the fault answers before limits are checked. With the scope `answer`, the fault
 * answers in place of the endpoint. With any other scope, the fault changes the endpoint's answer.
 */
export interface MockFault extends Defaults {
  readonly scope: 'gate' | 'answer' | 'whole' | 'stream';
  readonly run: (context: FaultContext) => void;
}

export const whole = (run: MockFault['run'], defaults: Defaults = {}): MockFault => ({
  scope: 'whole',
  run,
  ...defaults,
});

/** Changes how the events of a stream are written. */
export type StreamFault = (stream: EventStream, context: FaultContext) => EventStream;

export const stream = (shape: StreamFault, defaults: Defaults = {}): MockFault => ({
  scope: 'stream',
  run: (context) =>
    context.exchange.wrapStream((inner) => {
      context.show();
      return shape(inner, context);
    }),
  ...defaults,
});

/** A reset waits this many ms, so that the bytes that were written leave the machine first. */
export const resetDelay = 20;

export const resetConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.resetAndDestroy();
};
/** Closes the connection in an orderly way (FIN), although the message is not complete. */
export const closeConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.end();
};

export const isEventStream = (headers: Readonly<Record<string, string>>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

/** Splits a text into events, each with its final blank line. */
export const splitEvents = (text: string): readonly string[] => text.split(/(?<=\n\n)/);

export const isToken = (event: string): boolean => event.includes('"delta":{"content":');
export const isDone = (event: string): boolean => event.startsWith('data: [DONE]');
export const isFinish = (event: string): boolean => event.includes('"delta":{},"finish_reason":');

/** Writes bytes if there are any. An empty chunk would end the message. */
export const writeNonEmpty = (to: EventStream, bytes: string | Uint8Array): void => {
  if (bytes.length > 0) to.write(bytes);
};

/**
 * Creates a fault that rewrites the events of a stream. `open` is called once for each stream. It returns a function
 * that is called in place of each write.
 */
export const rewrite =
  (
    open: (context: FaultContext) => (events: string, write: EventStream['write']) => void,
  ): StreamFault =>
  (inner, context) => {
    const writeEvents = open(context);
    return {
      write: (events) => writeEvents(String(events), (part) => writeNonEmpty(inner, part)),
      end: () => inner.end(),
    };
  };

type ChangeEvent = (event: string, index: number) => string;

/** Replaces each event by the result of a function of the event and its index. */
export const changeEvents = (open: (context: FaultContext) => ChangeEvent): StreamFault =>
  rewrite((context) => {
    const change = open(context);
    let index = 0;
    return (events, write) =>
      write(
        splitEvents(events)
          .map((event) => change(event, index++))
          .join(''),
      );
  });

export const changedEvents = (change: ChangeEvent): MockFault => stream(changeEvents(() => change));
