import { z } from 'zod';
import { sampleUpperBound, thousandths } from './measure.ts';
import { decodeCounts, type Digits, encodeCounts, ValueCounts } from './value-counts.ts';

export type { Digits };

const encodedFields = z.strictObject({
  digits: z.union([z.literal(2), z.literal(3)]),
  count: z.int().nonnegative(),
  min: z.number().nullable(),
  max: z.number().max(sampleUpperBound).nullable(),
  sum: z.number().nonnegative(),
  hdr: z.base64(),
});
export type EncodedHistogram = z.infer<typeof encodedFields>;

/** Returns the rank (1 … n) of the q-quantile of n samples: the smallest rank that is at least q · n. */
export const nearestRank = (n: number, q: number): number =>
  Math.min(n, Math.max(1, Math.ceil(n * q - 1e-9)));

/** Rounding can make a sum larger than the exact sum, by at most this factor. */
const roundedUp = 1 + 1e-9;

/** Returns whether a stored histogram can be decoded and contains the declared number of samples. */
const isDecodable = (encoded: EncodedHistogram): boolean => {
  try {
    const { count, max, sum, digits, hdr } = encoded;
    if (count === 0) return true;
    // The mean cannot be above the largest sample. A histogram with a larger sum is damaged.
    if (sum > count * (max ?? 0) * roundedUp) return false;
    return decodeCounts(hdr, digits).countUpTo(Math.round((max ?? 0) * thousandths)) === count;
  } catch {
    return false;
  }
};

/**
 * The stored form of a histogram. `hdr` is the V2 compressed encoding of HdrHistogram in base64, in thousandths of the
 * unit.
 */
export const encodedHistogramSchema = encodedFields.refine(isDecodable, {
  error: 'expected an encoded histogram',
});

/**
 * Returns the range to store, in thousandths. The range depends only on `max`, so equal samples are stored as equal
 * bytes.
 */
const rangeFor = (max: number): number => {
  let range = 2 ** 11 - 1;
  while (range < max) range = range * 2 + 1;
  return range;
};

/**
 * The distribution of one measure: counts of values rounded to some digits, and the exact count, minimum, maximum and
 * sum. Callers give and get values in the measure's unit. The histogram stores whole thousandths of the unit, so the
 * sum is exact in any order of merging.
 */
export class Histogram {
  readonly digits: Digits;
  readonly #counts: ValueCounts;
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #sum = 0;

  constructor(counts: ValueCounts, encoded?: EncodedHistogram) {
    this.digits = counts.digits;
    this.#counts = counts;
    if (encoded === undefined || encoded.count === 0) return;
    this.#count = encoded.count;
    this.#min = Math.round((encoded.min ?? 0) * thousandths);
    this.#max = Math.round((encoded.max ?? 0) * thousandths);
    this.#sum = Math.round(encoded.sum * thousandths);
  }

  get count(): number {
    return this.#count;
  }
  get min(): number | null {
    return this.#count === 0 ? null : this.#min / thousandths;
  }
  get max(): number | null {
    return this.#count === 0 ? null : this.#max / thousandths;
  }
  get sum(): number {
    return this.#sum / thousandths;
  }
  get mean(): number | null {
    return this.#count === 0 ? null : this.#sum / thousandths / this.#count;
  }

  /** Records a value. Throws a RangeError if the value is negative or too large, because such a value is a bug. */
  record(value: number, times = 1): void {
    if (!(value >= 0 && value < sampleUpperBound)) {
      throw new RangeError(`a histogram records finite numbers from 0 upwards; got ${value}`);
    }
    // Adding 0 turns −0 into 0. A histogram stores −0 as 0, but −0 and 0 compare as different values.
    const whole = Math.round(value * thousandths) + 0;
    this.#counts.add(whole, times);
    this.#count += times;
    this.#sum += whole * times;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  recordAll(values: ArrayLike<number>): void {
    // This loop uses no iterator, because an iterator would allocate an object for each of thousands of values.
    for (let i = 0; i < values.length; i += 1) this.record(values[i]!);
  }

  /** Adds all samples of `other`, which must have the same number of digits. */
  add(other: Histogram): void {
    if (other.digits !== this.digits) {
      throw new TypeError(
        `histograms of ${this.digits} and ${other.digits} digits cannot be added: the coarser one’s detail is lost`,
      );
    }
    if (other.#count === 0) return;
    this.#counts.addAll(other.#counts);
    this.#count += other.#count;
    this.#sum += other.#sum;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /**
   * Returns the value at a rank, rounded to the histogram's digits. At least `rank` samples are not larger than this
   * value. Ranks start at 1.
   */
  atRank(rank: number): number {
    if (!(rank >= 1 && rank <= this.#count)) {
      throw new RangeError(`rank ${rank} is outside 1 … ${this.#count}`);
    }
    if (rank === 1) return this.#min / thousandths;
    if (rank === this.#count) return this.#max / thousandths;
    const value = this.#counts.atRank(rank);
    return Math.min(Math.max(value, this.#min), this.#max) / thousandths;
  }

  /** Returns the number of samples that are at most a value, as exactly as the histogram's digits allow. */
  countUpTo(value: number): number {
    return this.#count === 0 ? 0 : this.#counts.countUpTo(Math.round(value * thousandths));
  }

  /**
   * Returns the variance and the skewness of the samples, as exactly as the digits allow. If all samples are equal, the
   * skewness is 0.
   */
  shape(): { readonly variance: number; readonly skewness: number } {
    const mean = this.#sum / Math.max(1, this.#count);
    let [squares, cubes] = [0, 0];
    this.#counts.forEachValue((least, count) => {
      const distance = Math.max(least, this.#min) - mean;
      squares += count * distance ** 2;
      cubes += count * distance ** 3;
    });
    const variance = squares / Math.max(1, this.#count);
    const skewness = squares === 0 ? 0 : (cubes * Math.sqrt(this.#count)) / squares ** 1.5;
    return { variance: variance / thousandths ** 2, skewness };
  }

  toJSON(): EncodedHistogram {
    return {
      digits: this.digits,
      count: this.#count,
      min: this.min,
      max: this.max,
      sum: this.sum,
      hdr: encodeCounts(this.#counts, this.#max, rangeFor(this.#max)),
    };
  }
}

export const emptyHistogram = (digits: Digits = 3): Histogram =>
  new Histogram(new ValueCounts(digits));

/** Decodes a histogram. Throws if `hdr` cannot be read. */
export const decodeHistogram = (encoded: EncodedHistogram): Histogram =>
  encoded.count === 0
    ? emptyHistogram(encoded.digits)
    : new Histogram(decodeCounts(encoded.hdr, encoded.digits), encoded);

export const sumOfHistograms = (parts: Iterable<Histogram>, digits: Digits = 3): Histogram => {
  const whole = emptyHistogram(digits);
  for (const part of parts) whole.add(part);
  return whole;
};
