import type { EventStream } from '../http/event-stream.ts';
import {
  closeConnection,
  type FaultContext,
  isDone,
  isFinish,
  isToken,
  type MockFault,
  resetConnection,
  resetDelay,
  splitEvents,
  stream,
  type StreamFault,
  writeNonEmpty,
} from './fault.ts';

/** Streams that end too early, or not at all. */

/** Receives the event that would have been next; returns what takes the rest of the stream, if anything does. */
type EndStream = (inner: EventStream, context: FaultContext, next: string) => EventStream | void;

const lost: EventStream = { write: () => undefined, end: () => undefined };

/** Passes on the first `after` tokens, at most all; from then on only what `endStream` writes. */
const cutEvents =
  (endStream: EndStream): StreamFault =>
  (inner, context) => {
    let left = context.after;
    let rest: EventStream | null = null;
    const passes = (event: string): boolean => {
      if (isFinish(event) || isDone(event)) return false;
      if (!isToken(event)) return true;
      left -= 1;
      return left >= 0;
    };
    return {
      write: (events) => {
        if (rest !== null) return rest.write(events);
        const all = splitEvents(String(events));
        const end = all.findIndex((event) => !passes(event));
        writeNonEmpty(inner, (end === -1 ? all : all.slice(0, end)).join(''));
        if (end === -1) return;
        rest = endStream(inner, context, all[end] ?? '') ?? lost;
        rest.write(all.slice(end).join(''));
      },
      end: () => (rest ?? inner).end(),
    };
  };

/** A stream that is cut after two tokens by default. */
const cut = (endStream: EndStream, delay = 0): MockFault =>
  stream(cutEvents(endStream), { after: 2, delay });

const withoutDone = (events: string): string =>
  splitEvents(events)
    .filter((event) => !isDone(event))
    .join('');

/** Holds back everything after some tokens, then writes it at once. */
const pause: EndStream = (inner, { clock, delay }) => {
  let held: string | null = '';
  let hasEnded = false;
  clock.at(clock.now() + delay, () => {
    writeNonEmpty(inner, held ?? '');
    held = null;
    if (hasEnded) inner.end();
  });
  return {
    write: (events) => {
      if (held === null) inner.write(events);
      else held += String(events);
    },
    end: () => {
      hasEnded = true;
      if (held === null) inner.end();
    },
  };
};

/** Writes `next` again and again, as fast as the client reads, until it disconnects. */
const writeForever = (
  inner: EventStream,
  { exchange, clock, delay }: FaultContext,
  next: string,
): void => {
  const { socket } = exchange.request;
  const more = (): void => {
    if (socket.destroyed) return;
    if (!socket.writableNeedDrain) inner.write(next);
    clock.at(clock.now() + delay, more);
  };
  more();
};

const failure =
  '{"error":{"message":"The model has stopped.","type":"server_error","code":"model_error"}}';
const endWith =
  (last: string): EndStream =>
  (inner) => {
    inner.write(last);
    inner.end();
  };
const manyTokens = 'data: {"choices":[{"index":0,"delta":{"content":" on"}}]}\n\n'.repeat(64);
const lineBegin = 'data: {"choices":[{"index":0,"delta":{"content":"';
const mebibyte = 1024 * 1024;

export const endingFaults = {
  /** A reset, or an orderly close, instead of an answer. */
  'reset-before-head': { scope: 'answer', run: resetConnection },
  'fin-before-head': { scope: 'answer', run: closeConnection },
  'error-object': cut(endWith(`data: ${failure}\n\n`)),
  'error-event': cut(endWith(`event: error\ndata: ${failure}\n\n`)),
  truncated: cut((inner) => inner.end()),
  /** Sends everything except `[DONE]` and the end of the message. */
  'fin-without-done': stream((inner, context) => ({
    write: (events) => writeNonEmpty(inner, withoutDone(String(events))),
    end: () => closeConnection(context),
  })),
  /** No end of the message after `[DONE]`. */
  'open-after-done': stream((inner) => ({
    write: (events) => inner.write(events),
    end: () => undefined,
  })),
  'reset-mid-stream': cut((_, context) => resetConnection(context), resetDelay),
  'fin-mid-stream': cut((_, context) => closeConnection(context)),
  /** A reset after half an event. */
  'reset-mid-event': cut((inner, context, next) => {
    inner.write(next.slice(0, Math.ceil(next.length / 2)));
    // A reset discards bytes that have not left yet.
    context.clock.at(context.clock.now() + context.delay, () => resetConnection(context));
  }, resetDelay),
  'stall-mid-stream': cut(() => undefined),
  'pause-mid-stream': cut(pause, 500),
  'endless-stream': cut((inner, context) => writeForever(inner, context, manyTokens), 1),
  'endless-line': cut((inner, context) => {
    inner.write(lineBegin);
    writeForever(inner, context, 'on '.repeat(20_000));
  }, 1),
  /** One event of 16 MiB, then a normal end. */
  'huge-event': cut((inner) => {
    inner.write(lineBegin);
    for (let n = 0; n < 16; n += 1) inner.write('x'.repeat(mebibyte));
    inner.write('"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    inner.end();
  }),
} as const satisfies Record<string, MockFault>;
