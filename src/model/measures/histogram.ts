import { inflateSync } from 'node:zlib';
import * as hdr from 'hdr-histogram-js';
import { z } from 'zod';
import { sampleUpperBound, thousandths } from './measure.ts';

/** Significant decimal digits: 3 for a run's distributions, 2 for the slices of a timeline. */
export type Digits = 2 | 3;

const encodedFields = z.strictObject({
  digits: z.union([z.literal(2), z.literal(3)]),
  count: z.int().nonnegative(),
  min: z.number().nullable(),
  max: z.number().max(sampleUpperBound).nullable(),
  sum: z.number().nonnegative(),
  hdr: z.base64(),
});
export type EncodedHistogram = z.infer<typeof encodedFields>;

/** What a histogram of three digits over the whole range needs, with room to spare, in bytes. */
const maxDecodedBytes = 512 * 1024;

/**
 * Whether a stored histogram can be decoded; its size is checked before anything is allocated for it. A
 * header (cookie, length) is followed by a zlib stream, which begins with cookie, length, offset and
 * digits, four bytes each (HdrHistogram, V2 compressed encoding).
 */
const isDecodable = (encoded: EncodedHistogram): boolean => {
  if (encoded.count === 0) return true;
  try {
    const bytes = Buffer.from(encoded.hdr, 'base64');
    const inflated = inflateSync(bytes.subarray(8), { maxOutputLength: maxDecodedBytes });
    const digits = inflated.readInt32BE(12);
    return digits >= 1 && digits <= 3 && decodeHistogram(encoded).count > 0;
  } catch {
    return false;
  }
};

/** The stored form; `hdr` is the standard HdrHistogram V2 compressed encoding in base64, in thousandths of the unit. */
export const encodedHistogramSchema = encodedFields.refine(isDecodable, {
  error: 'expected an encoded histogram',
});

/**
 * The range that a histogram covers, in thousandths: doubled until it includes `max`. It starts small,
 * since a run has one histogram for each measure of each group, and each doubling takes 8 KB.
 */
const rangeFor = (max: number): number => {
  let range = 2 ** 11 - 1;
  while (range < max) range = range * 2 + 1;
  return range;
};

const buildHdr = (digits: Digits, max = 0): hdr.Histogram =>
  hdr.build({
    bitBucketSize: 64,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: rangeFor(max),
    numberOfSignificantValueDigits: digits,
    useWebAssembly: false,
  });

/** The same counts in the range for `max`. */
const withRange = (counts: hdr.Histogram, digits: Digits, max: number): hdr.Histogram => {
  const copy = buildHdr(digits, max);
  copy.add(counts);
  return copy;
};

/**
 * A distribution of one measure: the JavaScript build of hdr-histogram-js, plus exact count, minimum,
 * maximum and sum, which that library loses (its encoding rounds the maximum, its empty minimum is
 * 2^53−1, NaN and fractions pass silently).
 *
 * Values are in the measure's unit; internally they are whole thousandths of it, so sums stay exact
 * integers and merging is associative to the bit.
 */
export class Histogram {
  readonly digits: Digits;
  readonly #counts: hdr.Histogram;
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #sum = 0;

  constructor(digits: Digits, counts: hdr.Histogram, encoded?: EncodedHistogram) {
    this.digits = digits;
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
  /** Exact extremes, sum and mean in the measure's unit; `null` while empty. */
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

  /** Records a value once or `times` times. Throws a RangeError for anything but a finite number ≥ 0: a negative duration is a bug, not a sample. */
  record(value: number, times = 1): void {
    if (!(value >= 0 && value < sampleUpperBound)) {
      throw new RangeError(`a histogram records finite numbers from 0 upwards; got ${value}`);
    }
    // Adding 0 turns −0 into 0: both are written alike but compare as different.
    const whole = Math.round(value * thousandths) + 0;
    this.#counts.recordValueWithCount(whole, times);
    this.#count += times;
    this.#sum += whole * times;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  /** Adds all samples of `other`, which must have the same digits. */
  add(other: Histogram): void {
    if (other.digits !== this.digits) {
      throw new TypeError(
        `histograms of ${this.digits} and ${other.digits} digits cannot be added: the coarser one’s detail is lost`,
      );
    }
    if (other.#count === 0) return;
    this.#counts.add(other.#counts);
    this.#count += other.#count;
    this.#sum += other.#sum;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /** The smallest recorded value (to the histogram's digits) that at least `rank` samples do not exceed; ranks run from 1 to count. */
  atRank(rank: number): number {
    if (!(rank >= 1 && rank <= this.#count)) {
      throw new RangeError(`rank ${rank} is outside 1 … ${this.#count}`);
    }
    if (rank === 1) return this.#min / thousandths;
    if (rank === this.#count) return this.#max / thousandths;
    // The library rounds percentile × count / 100 to the nearest rank; half a rank less yields ours.
    const value = this.#counts.getValueAtPercentile(((rank - 0.5) / this.#count) * 100);
    return Math.min(Math.max(value, this.#min), this.#max) / thousandths;
  }

  /**
   * The library encodes the range that resizing reached, which depends on the order of the samples;
   * in the range for the maximum, equal samples have equal bytes.
   */
  #canonical(): hdr.Histogram {
    if (this.#counts.highestTrackableValue === rangeFor(this.#max)) return this.#counts;
    return withRange(this.#counts, this.digits, this.#max);
  }

  toJSON(): EncodedHistogram {
    return {
      digits: this.digits,
      count: this.#count,
      min: this.min,
      max: this.max,
      sum: this.sum,
      hdr: hdr.encodeIntoCompressedBase64(this.#canonical()),
    };
  }
}

export const emptyHistogram = (digits: Digits = 3): Histogram =>
  new Histogram(digits, buildHdr(digits));

/** Decodes a histogram: samples to its digits, extremes and sum exactly. */
export const decodeHistogram = (encoded: EncodedHistogram): Histogram => {
  if (encoded.count === 0) return emptyHistogram(encoded.digits);
  const max = Math.round((encoded.max ?? 0) * thousandths);
  const counts = hdr.decodeFromCompressedBase64(encoded.hdr, 64, false);
  // A histogram from another program can have another range: its counts are copied into ours.
  const isOurs =
    counts.highestTrackableValue === rangeFor(max) &&
    counts.numberOfSignificantValueDigits === encoded.digits;
  if (!isOurs)
    return new Histogram(encoded.digits, withRange(counts, encoded.digits, max), encoded);
  counts.autoResize = true;
  return new Histogram(encoded.digits, counts, encoded);
};

/** One histogram over all of `parts`, or an empty one. */
export const sumOfHistograms = (parts: Iterable<Histogram>, digits: Digits = 3): Histogram => {
  const whole = emptyHistogram(digits);
  for (const part of parts) whole.add(part);
  return whole;
};
