import { type CanarySample, roundedError } from '../../model/result/canary.ts';
import type { RunClock } from '../host/clock.ts';
import type { Instant } from '../../model/quantity.ts';

/** The mark before a stamp. A stamp is the time on the machine's monotonic clock at which an event was written. */

const mark = '@@';
/** The number of digits of a stamp. A stamp is a number of whole microseconds. */
const digits = 15;

const byteOf0 = 48;
const byteOfMark = mark.charCodeAt(0);

export const stampText = ([seconds, nanoseconds]: readonly [number, number]): string =>
  mark + String(seconds * 1e6 + Math.floor(nanoseconds / 1000)).padStart(digits, '0');

export const stampedHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

const padding = `","object":"chat.completion.chunk","choices":[{"delta":{"content":"${'x'.repeat(120)}"}}]}`;

export const stampedChunk = (moment: readonly [number, number]): string => {
  const event = `data: {"id":"${stampText(moment)}${padding}\n\n`;
  return `${event.length.toString(16)}\r\n${event}\r\n`;
};

/**
 * Calls `onStamp` with each stamp in `bytes`, converted to ms. An incomplete stamp at the end of `bytes` is skipped.
 */
export const readStamps = (bytes: Uint8Array, onStamp: (stamp: number) => void): void => {
  let at = bytes.indexOf(byteOfMark);
  while (at >= 0) {
    const from = at + mark.length;
    if (from + digits > bytes.length) return;
    if (bytes[at + 1] === byteOfMark) {
      let microseconds = 0;
      for (let place = from; place < from + digits; place += 1)
        microseconds = microseconds * 10 + bytes[place]! - byteOf0;
      onStamp(microseconds / 1000);
    }
    at = bytes.indexOf(byteOfMark, from);
  }
};

const countTimes = () => {
  let times = new Map<number, number>();
  return {
    note: (ms: number): void => {
      const time = roundedError(ms);
      times.set(time, (times.get(time) ?? 0) + 1);
    },
    /** Returns each error with its count, in ascending order of the errors, and clears the counts. */
    take: (): CanarySample['errors'] => {
      const ascending = [...times].toSorted(([a], [b]) => a - b);
      times = new Map();
      return ascending;
    },
  };
};

/**
 * Counts how late events are read, in ms. `begin` clears the counts, and ignores events that were sent before the
 * instant `at`. `note` counts the events in `bytes`, which were read at the instant `at`. `take` returns the counts
 * since the last call of `take`. In `errors`, each event counts with its whole lateness. In `outside`, the time that
 * the bytes may have waited in the event loop is subtracted.
 */
export const countErrors = ({
  machineZero,
  readDelay,
}: Pick<RunClock, 'machineZero' | 'readDelay'>) => {
  const errors = countTimes();
  const outside = countTimes();
  let floor = Number.NEGATIVE_INFINITY;
  return {
    begin: (at: number): void => {
      floor = at + machineZero;
      errors.take();
      outside.take();
    },
    note: (at: Instant, bytes: Uint8Array): void => {
      const read = at + machineZero;
      const waited = readDelay(at);
      readStamps(bytes, (stamp) => {
        if (stamp < floor) return;
        // The sender's clock and this thread's clock agree only to some microseconds, so the difference can be
        // negative.
        const error = Math.max(0, read - stamp);
        errors.note(error);
        outside.note(Math.max(0, error - waited));
      });
    },
    take: () => ({ errors: errors.take(), outside: outside.take() }),
  };
};
