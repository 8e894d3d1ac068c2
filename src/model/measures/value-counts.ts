/** Significant decimal digits: 3 for a run's distributions, 2 for the slices of a timeline. */
export type Digits = 2 | 3;

/** Counters are allocated in pages of this many (a power of two), since most histograms use a small part of their range. */
const pageBits = 7;
const pageSize = 1 << pageBits;

type Page = Float64Array<ArrayBuffer>;

/** The position of the highest bit of a whole number from 1 up to 2^53. */
const highestBit = (value: number): number =>
  value < 2 ** 31 ? 31 - Math.clz32(value) : 62 - Math.clz32(value / 2 ** 31);

/**
 * How the counters of an HdrHistogram divide whole numbers: `2 ** (bits + 1)` counters for one value each, then
 * `2 ** bits` counters for each doubling. `bits` is the least that keeps `digits` significant digits: 2 ** (bits + 1) ≥ 2 · 10^digits.
 */
export class CounterScale {
  readonly #bits: number;
  readonly #half: number;

  constructor(digits: number) {
    this.#bits = Math.ceil(Math.log2(2 * 10 ** digits)) - 1;
    this.#half = 2 ** this.#bits;
  }

  /** The counter of a whole number ≥ 0. */
  indexOf(value: number): number {
    if (value < 2 * this.#half) return value;
    const doublings = highestBit(value) - this.#bits;
    return doublings * this.#half + Math.floor(value / 2 ** doublings);
  }

  /** The least value of a counter. */
  leastOf(index: number): number {
    if (index < 2 * this.#half) return index;
    const doublings = Math.floor(index / this.#half) - 1;
    return (index - doublings * this.#half) * 2 ** doublings;
  }

  /** The greatest value of a counter. */
  greatestOf(index: number): number {
    return this.leastOf(index + 1) - 1;
  }
}

const scales = { 2: new CounterScale(2), 3: new CounterScale(3) } as const;

/** Counts of whole numbers up to 2^53, to so many significant digits, in the counters of an HdrHistogram. */
export class ValueCounts {
  readonly digits: Digits;
  readonly #scale: CounterScale;
  readonly #pages: (Page | null)[] = [];

  constructor(digits: Digits) {
    this.digits = digits;
    this.#scale = scales[digits];
  }

  /** Counts a whole number ≥ 0 `times` times. */
  add(value: number, times: number): void {
    const index = this.#scale.indexOf(value);
    this.#pageFor(index >> pageBits)[index & (pageSize - 1)]! += times;
  }

  /** Adds the counts of `other`, which has the same digits. */
  addAll(other: ValueCounts): void {
    for (const [number, page] of other.#pages.entries()) {
      if (page === null) continue;
      const own = this.#pageFor(number);
      for (let i = 0; i < pageSize; i += 1) own[i]! += page[i]!;
    }
  }

  /** The greatest value that the counter of the `rank`th smallest value stands for; ranks run from 1 to the number of values. */
  atRank(rank: number): number {
    let below = 0;
    for (const [number, page] of this.#pages.entries()) {
      if (page === null) continue;
      for (let i = 0; i < pageSize; i += 1) {
        below += page[i]!;
        if (below >= rank) return this.#scale.greatestOf(number * pageSize + i);
      }
    }
    throw new RangeError(`rank ${rank} is above the ${below} values`);
  }

  /** How many values were counted up to the counter of `max`. */
  countUpTo(max: number): number {
    let sum = 0;
    this.forEachUsed(max, (_, count) => (sum += count));
    return sum;
  }

  /** Visits the used counters up to that of `max`, each with the number of unused ones before it. */
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

  #pageFor(number: number): Page {
    while (this.#pages.length <= number) this.#pages.push(null);
    return (this.#pages[number] ??= new Float64Array(pageSize));
  }
}
