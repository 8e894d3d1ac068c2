import { deflateSync, inflateSync } from 'node:zlib';

/** The number of significant decimal digits: 3 for a run's distributions, 2 for the seconds of a timeline. */
export type Digits = 2 | 3;

const pageBits = 7;
/**
 * The number of counters in a page. A page is created when one of its counters is first used, because most histograms
 * use a small part of their range.
 */
const pageSize = 1 << pageBits;

type Page = Float64Array<ArrayBuffer>;

/** Returns the position of the highest set bit of a whole number from 1 to 2^53. */
const highestBit = (value: number): number =>
  value < 2 ** 31 ? 31 - Math.clz32(value) : 62 - Math.clz32(value / 2 ** 31);

/**
 * Assigns whole numbers to the counters of an HdrHistogram. Each of the first `2 ** (bits + 1)` counters stands for one
 * number. After these counters, each doubling of the range has `2 ** bits` counters. `bits` is the smallest number that
 * preserves the digits: 2 ** (bits + 1) ≥ 2 · 10^digits.
 */
class CounterScale {
  readonly #bits: number;
  readonly #half: number;

  constructor(digits: number) {
    this.#bits = Math.ceil(Math.log2(2 * 10 ** digits)) - 1;
    this.#half = 2 ** this.#bits;
  }

  indexOf(value: number): number {
    if (value < 2 * this.#half) return value;
    const doublings = highestBit(value) - this.#bits;
    return doublings * this.#half + Math.floor(value / 2 ** doublings);
  }

  leastOf(index: number): number {
    if (index < 2 * this.#half) return index;
    const doublings = Math.floor(index / this.#half) - 1;
    return (index - doublings * this.#half) * 2 ** doublings;
  }
}

const scales = { 2: new CounterScale(2), 3: new CounterScale(3) } as const;

/** Counts whole numbers from 0 to 2^53, rounded to some significant digits. */
export class ValueCounts {
  readonly digits: Digits;
  readonly #scale: CounterScale;
  readonly #pages: (Page | null)[] = [];

  constructor(digits: Digits) {
    this.digits = digits;
    this.#scale = scales[digits];
  }

  add(value: number, times: number): void {
    const index = this.#scale.indexOf(value);
    this.#pageFor(index >> pageBits)[index & (pageSize - 1)]! += times;
  }

  /** Adds the counts of `other`, which must have the same digits. */
  addAll(other: ValueCounts): void {
    for (const [number, page] of other.#pages.entries()) {
      if (page === null) continue;
      const own = this.#pageFor(number);
      for (let i = 0; i < pageSize; i += 1) own[i]! += page[i]!;
    }
  }

  /**
   * Returns the `rank`th smallest value, rounded up to the largest value of its counter. Ranks run from 1 to the number
   * of values.
   */
  atRank(rank: number): number {
    let below = 0;
    for (const [number, page] of this.#pages.entries()) {
      if (page === null) continue;
      for (let i = 0; i < pageSize; i += 1) {
        below += page[i]!;
        if (below >= rank) return this.#scale.leastOf(number * pageSize + i + 1) - 1;
      }
    }
    throw new RangeError(`rank ${rank} is above the ${below} values`);
  }

  /** Returns how many values are in the counter of `max` and in all lower counters. */
  countUpTo(max: number): number {
    let sum = 0;
    this.forEachUsed(max, (_, count) => (sum += count));
    return sum;
  }

  /**
   * Visits the used counters up to the counter of `max`. `visit` also gets the number of unused counters since the
   * previous used counter.
   */
  forEachUsed(max: number, visit: (unused: number, count: number) => void): void {
    const end = this.#scale.indexOf(max) + 1;
    let unused = 0;
    for (const [number, page] of this.#pages.entries()) {
      if (page === null) {
        unused += pageSize;
        continue;
      }
      const size = Math.min(pageSize, end - number * pageSize);
      for (let i = 0; i < size; i += 1) {
        const count = page[i]!;
        if (count === 0) unused += 1;
        else {
          visit(unused, count);
          unused = 0;
        }
      }
    }
  }

  /** Visits the lowest value of each used counter, and its count. */
  forEachValue(visit: (least: number, count: number) => void): void {
    for (const [number, page] of this.#pages.entries()) {
      if (page === null) continue;
      for (let i = 0; i < pageSize; i += 1) {
        if (page[i]! > 0) visit(this.#scale.leastOf(number * pageSize + i), page[i]!);
      }
    }
  }

  #pageFor(number: number): Page {
    while (this.#pages.length <= number) this.#pages.push(null);
    return (this.#pages[number] ??= new Float64Array(pageSize));
  }
}

/*
 * The following code reads and writes the V2 compressed encoding of HdrHistogram, which libraries in other languages
 * also read. The encoding has a cookie, a length, and a zlib stream. The stream has a cookie, the length of the
 * counters, an offset and the digits (4 bytes each), the lowest value, the highest value and a ratio (8 bytes each),
 * and then the counters as zigzag LEB128. A negative counter −n stands for n unused counters.
 */

const cookie = 0x1c849303;
const compressedCookie = 0x1c849304;
/** The bits in the cookie that mark counters of variable length. */
const variableLength = 0x10;
const cookieMask = ~0xf0;

const outerBytes = 8;
const headBytes = 40;
/**
 * The maximum size of the uncompressed stream in bytes. A histogram with three digits over the whole range needs less.
 */
const mostBytes = 512 * 1024;

const longestNumber = 9;

/** Writes numbers into a buffer that grows as needed. */
class Writer {
  bytes = Buffer.alloc(4096);
  length = 0;

  begin(length: number): void {
    this.bytes.fill(0, 0, length);
    this.length = length;
  }

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

/** All encodings share this writer and its buffer, because a checkpoint encodes dozens of histograms in a row. */
const writer = new Writer();

const writeCounter = (unused: number, count: number): void => {
  if (unused > 0) writer.write(unused === 1 ? 0 : -unused);
  writer.write(count);
};

/**
 * Encodes counts as base64. `max` is the largest counted value, and `range` is the highest value that the head
 * declares.
 */
export const encodeCounts = (counts: ValueCounts, max: number, range: number): string => {
  writer.begin(headBytes);
  counts.forEachUsed(max, writeCounter);
  if (writer.length === headBytes) writer.write(0); // The first counter after the head counts the value 0.
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

const forEachNumber = (bytes: Uint8Array, visit: (number: number) => void): void => {
  let [value, scale, length] = [0, 1, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    length += 1;
    const isLast = byte < 128 || length === longestNumber;
    value += (isLast ? byte : byte - 128) * scale;
    scale *= 128;
    if (!isLast) continue;
    if (value > Number.MAX_SAFE_INTEGER) break;
    visit(value % 2 === 1 ? -(value + 1) / 2 : value / 2);
    value = 0;
    scale = 1;
    length = 0;
  }
  if (length > 0) throw new RangeError('a counter of the histogram is incomplete or too large');
};

const expectCookie = (found: number, expected: number): void => {
  if ((found & cookieMask) !== expected)
    throw new RangeError('no histogram in the V2 encoding of HdrHistogram');
};

const openEncoded = (base64: string) => {
  const outer = Buffer.from(base64, 'base64');
  expectCookie(outer.readInt32BE(0), compressedCookie);
  const compressed = outer.subarray(outerBytes, outerBytes + outer.readInt32BE(4));
  const bytes = inflateSync(compressed, { maxOutputLength: mostBytes, chunkSize: 1024 });
  expectCookie(bytes.readInt32BE(0), cookie);
  const digits = bytes.readInt32BE(12);
  const lowest = Number(bytes.readBigInt64BE(16));
  if (digits < 1 || digits > 3 || lowest < 1) throw new RangeError('a histogram of another range');
  const payload = bytes.subarray(headBytes, headBytes + bytes.readInt32BE(4));
  return { digits, lowest, payload };
};

/**
 * Decodes counts from base64. Another tool may have written the counts with another number of significant digits, and
 * thus with other counters. Every value is therefore counted as the lowest value of its encoded counter. Throws a
 * RangeError or an error of zlib if the text is not an encoded histogram.
 */
export const decodeCounts = (base64: string, digits: Digits): ValueCounts => {
  const { digits: foreignDigits, lowest, payload } = openEncoded(base64);
  const scale = new CounterScale(foreignDigits);
  // If the lowest value is 2^n or slightly more, the encoding counts in units of 2^n.
  const unit = 2 ** Math.floor(Math.log2(lowest));
  const counts = new ValueCounts(digits);
  let index = 0;
  forEachNumber(payload, (number) => {
    if (number > 0) {
      const value = scale.leastOf(index) * unit;
      if (!(value <= Number.MAX_SAFE_INTEGER)) throw new RangeError('a histogram of another range');
      counts.add(value, number);
    }
    index += number < 0 ? -number : 1;
  });
  return counts;
};
