/** Moments of the machine's monotonic clock as digits within an event, as cheap to read as to write. */

const mark = '@@';
/** Whole microseconds. */
const digits = 15;

const byteOf0 = 48;
const byteOfMark = mark.charCodeAt(0);

/** What `process.hrtime()` gave, behind its mark. */
export const stampText = ([seconds, nanoseconds]: readonly [number, number]): string =>
  mark + String(seconds * 1e6 + Math.floor(nanoseconds / 1000)).padStart(digits, '0');

/** Tells each stamp between two places of `bytes`, in ms. An event that is cut there is left out. */
export const readStamps = (bytes: Uint8Array, end: number, told: (stamp: number) => void): void => {
  for (let at = bytes.indexOf(byteOfMark); at >= 0; at = bytes.indexOf(byteOfMark, at)) {
    const from = at + mark.length;
    if (from + digits > end) return;
    let microseconds = 0;
    for (let place = from; place < from + digits; place += 1)
      microseconds = microseconds * 10 + bytes[place]! - byteOf0;
    told(microseconds / 1000);
    at = from + digits;
  }
};
