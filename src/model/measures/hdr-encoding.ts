import { deflateSync, inflateSync } from 'node:zlib';
import { CounterScale, type Digits, ValueCounts } from './value-counts.ts';

/**
 * The V2 compressed encoding of HdrHistogram, which its implementations in other languages read: a cookie, a length, and a zlib stream of
 * cookie, payload length, normalizing offset and digits (4 bytes each), lowest and highest value and conversion ratio (8 bytes each),
 * then the counters as LEB128 numbers in zigzag form, where a negative number stands for that many unused counters.
 */

const cookie = 0x1c849303;
const compressedCookie = 0x1c849304;
/** Marks counters of variable length. */
const variableLength = 0x10;
const cookieMask = ~0xf0;

const outerBytes = 8;
const headBytes = 40;
/** What the counters of three digits over the whole range need, with room to spare, in bytes. */
const mostBytes = 512 * 1024;

const longestNumber = 9;

/** Bytes that grow as needed. */
class Writer {
  bytes = Buffer.alloc(4096);
  length = 0;

  begin(length: number): void {
    this.bytes.fill(0, 0, length);
    this.length = length;
  }

  /** In zigzag form. */
  write(value: number): void {
    if (this.bytes.length < this.length + longestNumber)
      this.bytes = Buffer.concat([this.bytes], 2 * this.bytes.length);
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.bytes[this.length] = (rest % 128) | 128;
      this.length += 1;
    }
    this.bytes[this.length] = rest;
    this.length += 1;
  }
}

/** Reused, since a checkpoint encodes dozens of histograms at a time. */
const writer = new Writer();

const writeCounter = (unused: number, count: number): void => {
  if (unused > 0) writer.write(unused === 1 ? 0 : -unused);
  writer.write(count);
};

/** Returns the encoding in base64. `max` is the greatest value counted, `range` the highest trackable value in the header. */
export const encodeCounts = (counts: ValueCounts, max: number, range: number): string => {
  writer.begin(headBytes);
  counts.forEachUsed(max, writeCounter);
  if (writer.length === headBytes) writer.write(0); // the counter of 0
  const { bytes, length } = writer;
  bytes.writeInt32BE(cookie | variableLength, 0);
  bytes.writeInt32BE(length - headBytes, 4);
  bytes.writeInt32BE(1, 8);
  bytes.writeInt32BE(counts.digits, 12);
  bytes.writeInt32BE(1, 20);
  bytes.writeBigInt64BE(BigInt(range), 24);
  bytes.writeInt32BE(1, 36);
  const compressed = deflateSync(bytes.subarray(0, length));
  const encoded = Buffer.alloc(outerBytes + compressed.length);
  encoded.writeInt32BE(compressedCookie | variableLength, 0);
  encoded.writeInt32BE(compressed.length, 4);
  compressed.copy(encoded, outerBytes);
  return encoded.toString('base64');
};

class Numbers {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(): number {
    let [value, scale] = [0, 1];
    for (let i = 0; i < longestNumber; i += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      const isLast = byte < 128 || i === longestNumber - 1;
      value += (isLast ? byte : byte - 128) * scale;
      scale *= 128;
      if (!isLast) continue;
      if (value > Number.MAX_SAFE_INTEGER) break;
      return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    throw new RangeError('a counter of the histogram is incomplete or too large');
  }
}

const expectCookie = (found: number, expected: number): void => {
  if ((found & cookieMask) !== expected)
    throw new RangeError('no histogram in the V2 encoding of HdrHistogram');
};

/** The head's fields and the counters of an encoded histogram. Throws a RangeError or zlib's error for anything else. */
const openEncoded = (base64: string) => {
  const outer = Buffer.from(base64, 'base64');
  expectCookie(outer.readInt32BE(0), compressedCookie);
  const compressed = outer.subarray(outerBytes, outerBytes + outer.readInt32BE(4));
  const bytes = inflateSync(compressed, { maxOutputLength: mostBytes });
  expectCookie(bytes.readInt32BE(0), cookie);
  const digits = bytes.readInt32BE(12);
  const lowest = Number(bytes.readBigInt64BE(16));
  if (digits < 1 || digits > 3 || lowest < 1) throw new RangeError('a histogram of another range');
  const payload = bytes.subarray(0, headBytes + bytes.readInt32BE(4));
  return { digits, lowest, numbers: new Numbers(payload, headBytes) };
};

/**
 * Decodes what `encodeCounts` or another tool has written; counters of other digits or another lowest value are counted at
 * their least value. Throws a RangeError or zlib's error if it cannot be read.
 */
export const decodeCounts = (base64: string, digits: Digits): ValueCounts => {
  const { digits: foreignDigits, lowest, numbers } = openEncoded(base64);
  const scale = new CounterScale(foreignDigits);
  // A lowest value of 2^n or a little more is counted in units of 2^n.
  const unit = 2 ** Math.floor(Math.log2(lowest));
  const counts = new ValueCounts(digits);
  for (let index = 0; !numbers.isAtEnd;) {
    const number = numbers.next();
    if (number < 0) index -= number;
    else {
      const value = scale.leastOf(index) * unit;
      if (number > 0 && !(value <= Number.MAX_SAFE_INTEGER))
        throw new RangeError('a histogram of another range');
      if (number > 0) counts.add(value, number);
      index += 1;
    }
  }
  return counts;
};
