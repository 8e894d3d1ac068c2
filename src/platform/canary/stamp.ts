/** Events that say when they were handed to the socket: moments of the machine's monotonic clock as digits, as cheap to read as to write. */

const mark = '@@';
/** Whole microseconds. */
const digits = 15;

const byteOf0 = 48;
const byteOfMark = mark.charCodeAt(0);

/** What `process.hrtime()` gave, behind its mark. */
export const stampText = ([seconds, nanoseconds]: readonly [number, number]): string =>
  mark + String(seconds * 1e6 + Math.floor(nanoseconds / 1000)).padStart(digits, '0');

/** The head of a response of the canary's events. */
export const stampedHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

const padding = `","object":"chat.completion.chunk","choices":[{"delta":{"content":"${'x'.repeat(120)}"}}]}`;

/** The stamp of this moment as the event of a chat stream, in a chunk of its own. */
export const stampedChunk = (moment: readonly [number, number]): string => {
  const event = `data: {"id":"${stampText(moment)}${padding}\n\n`;
  return `${event.length.toString(16)}\r\n${event}\r\n`;
};

/** Tells each stamp in `bytes`, in ms. An event that is cut at their end is left out. */
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
