import type { EventStream } from '../http/event-stream.ts';
import type { FaultContext, StreamFault } from './fault.ts';

/** Whether an answer with these headers is an event stream. */
export const isEventStream = (headers: Readonly<Record<string, string>>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

/** The events of a text, each with the blank line that ends it. */
export const splitEvents = (text: string): readonly string[] => text.split(/(?<=\n\n)/);

/** Whether an event brings a token. */
export const isToken = (event: string): boolean => event.includes('"delta":{"content":');
export const isDone = (event: string): boolean => event.startsWith('data: [DONE]');
/** Whether an event says why the answer ended. */
export const isFinish = (event: string): boolean => event.includes('"delta":{},"finish_reason":');

/** Writes something; an empty chunk would end the message. */
export const writeNonEmpty = (stream: EventStream, bytes: string | Uint8Array): void => {
  if (bytes.length > 0) stream.write(bytes);
};

/** Each event becomes what `change` makes of it; it is given the event's number, from 0. */
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
 * Lets through so many tokens, at most all of them; from there on nothing but what `ending` does,
 * which is given the event that would have been next.
 */
export const cutEvents =
  (endStream: (stream: EventStream, faulted: FaultContext, next: string) => void): StreamFault =>
  (stream, faulted) => {
    let left = faulted.after;
    let isCut = false;
    const letsThrough = (event: string): boolean => {
      if (isFinish(event) || isDone(event)) return false;
      if (!isToken(event)) return true;
      left -= 1;
      return left >= 0;
    };
    return {
      write: (events) => {
        if (isCut) return;
        const all = splitEvents(String(events));
        const end = all.findIndex((event) => !letsThrough(event));
        writeNonEmpty(stream, (end === -1 ? all : all.slice(0, end)).join(''));
        if (end === -1) return;
        isCut = true;
        endStream(stream, faulted, all[end] ?? '');
      },
      end: () => {
        if (!isCut) stream.end();
      },
    };
  };
