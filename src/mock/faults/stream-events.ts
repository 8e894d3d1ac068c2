import type { EventStream } from '../http/event-stream.ts';
import type { FaultContext, StreamFault } from './fault.ts';

export const isEventStream = (headers: Readonly<Record<string, string>>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

/** The events of a text, each with its final blank line. */
export const splitEvents = (text: string): readonly string[] => text.split(/(?<=\n\n)/);

export const isToken = (event: string): boolean => event.includes('"delta":{"content":');
export const isDone = (event: string): boolean => event.startsWith('data: [DONE]');
/** Whether an event carries the finish reason. */
export const isFinish = (event: string): boolean => event.includes('"delta":{},"finish_reason":');

/** Writes bytes; an empty chunk would end the message. */
export const writeNonEmpty = (stream: EventStream, bytes: string | Uint8Array): void => {
  if (bytes.length > 0) stream.write(bytes);
};

/** Replaces each event by the result of `change`, which receives its index too. */
export const changeEvents =
  (change: (event: string, index: number) => string): StreamFault =>
  (stream) => {
    let index = 0;
    return {
      write: (events) => {
        const changed = splitEvents(String(events)).map((event) => change(event, index++));
        writeNonEmpty(stream, changed.join(''));
      },
      end: () => stream.end(),
    };
  };

/**
 * Passes on the first `after` tokens, at most all; from then on only what `endStream` writes, which receives the
 * event that would have been next.
 */
export const cutEvents =
  (endStream: (stream: EventStream, context: FaultContext, next: string) => void): StreamFault =>
  (stream, context) => {
    let left = context.after;
    let isCut = false;
    const passes = (event: string): boolean => {
      if (isFinish(event) || isDone(event)) return false;
      if (!isToken(event)) return true;
      left -= 1;
      return left >= 0;
    };
    return {
      write: (events) => {
        if (isCut) return;
        const all = splitEvents(String(events));
        const end = all.findIndex((event) => !passes(event));
        writeNonEmpty(stream, (end === -1 ? all : all.slice(0, end)).join(''));
        if (end === -1) return;
        isCut = true;
        endStream(stream, context, all[end] ?? '');
      },
      end: () => {
        if (!isCut) stream.end();
      },
    };
  };
