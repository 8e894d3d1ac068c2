import type { EventStream } from '../http/event-stream.ts';
import { cutEvents, splitEvents, isDone, writeNonEmpty } from './stream-events.ts';
import type { FaultContext, StreamFault } from './fault.ts';

/** Streams that end too early, or not at all. */

const failure =
  '{"error":{"message":"The model has stopped.","type":"server_error","code":"model_error"}}';

export const resetConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.resetAndDestroy();
};
/** Closes the connection in an orderly way, although the message is not complete. */
export const closeConnection = ({ exchange }: FaultContext): void => {
  exchange.request.socket.end();
};

export const errorObject = cutEvents((stream) => {
  stream.write(`data: ${failure}\n\n`);
  stream.end();
});
export const errorEvent = cutEvents((stream) => {
  stream.write(`event: error\ndata: ${failure}\n\n`);
  stream.end();
});
export const truncated = cutEvents((stream) => stream.end());
export const resetMidStream = cutEvents((_, context) => resetConnection(context));
export const finMidStream = cutEvents((_, context) => closeConnection(context));
export const stallMidStream = cutEvents(() => undefined);
export const resetMidEvent = cutEvents((stream, context, next) => {
  stream.write(next.slice(0, Math.ceil(next.length / 2)));
  // A reset discards bytes that have not left yet.
  context.clock.at(context.clock.now() + context.delay, () => resetConnection(context));
});

/** Sends everything except `[DONE]` and the end of the message. */
export const finWithoutDone: StreamFault = (stream, context) => ({
  write: (events) =>
    writeNonEmpty(
      stream,
      splitEvents(String(events))
        .filter((event) => !isDone(event))
        .join(''),
    ),
  end: () => closeConnection(context),
});

export const openAfterDone: StreamFault = (stream) => ({
  write: (events) => stream.write(events),
  end: () => undefined,
});

/** Holds back everything after some tokens, then writes it at once. */
export const pauseMidStream: StreamFault = (stream, context) => {
  let held: string | null = null;
  let isOver = false;
  let hasEnded = false;
  const resume = (): void => {
    isOver = true;
    writeNonEmpty(stream, held ?? '');
    if (hasEnded) stream.end();
  };
  const cut = cutEvents((_, __, next) => {
    held = next;
    context.clock.at(context.clock.now() + context.delay, resume);
  })(stream, context);
  return {
    write: (events) => {
      if (isOver) stream.write(events);
      else if (held !== null) held += String(events);
      else {
        cut.write(events);
        if (held !== null) {
          const text = String(events);
          held = text.slice(text.indexOf(held));
        }
      }
    },
    end: () => {
      hasEnded = true;
      if (held === null || isOver) stream.end();
    },
  };
};

/** Writes `next` again and again, as fast as the client reads, until it disconnects. */
const writeForever = (
  stream: EventStream,
  { exchange, clock, delay }: FaultContext,
  next: string,
): void => {
  const { socket } = exchange.request;
  const more = (): void => {
    if (socket.destroyed) return;
    if (!socket.writableNeedDrain) stream.write(next);
    clock.at(clock.now() + delay, more);
  };
  more();
};

export const endlessStream = cutEvents((stream, context) =>
  writeForever(
    stream,
    context,
    'data: {"choices":[{"index":0,"delta":{"content":" on"}}]}\n\n'.repeat(64),
  ),
);
export const endlessLine = cutEvents((stream, context) => {
  stream.write('data: {"choices":[{"index":0,"delta":{"content":"');
  writeForever(stream, context, 'on '.repeat(20_000));
});

const mebibyte = 1024 * 1024;

/** One event of 16 MiB, then a normal end. */
export const hugeEvent = cutEvents((stream) => {
  stream.write('data: {"choices":[{"index":0,"delta":{"content":"');
  for (let n = 0; n < 16; n += 1) stream.write('x'.repeat(mebibyte));
  stream.write('"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  stream.end();
});
