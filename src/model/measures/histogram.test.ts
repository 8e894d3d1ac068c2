import { deflateSync, inflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import * as hdr from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import {
  decodeHistogram,
  type Digits,
  emptyHistogram,
  encodedHistogramSchema,
  type Histogram,
  sumOfHistograms,
} from './histogram.ts';

const holding = (samples: readonly number[], digits: Digits = 3): Histogram => {
  const histogram = emptyHistogram(digits);
  for (const sample of samples) histogram.record(sample);
  return histogram;
};
const sum = (a: Histogram, b: Histogram): Histogram => sumOfHistograms([a, b], a.digits);

/** Whole thousandths up to some days in ms, so that a sample is kept as it is. */
const sample = fc.oneof(
  fc.nat(5_000_000),
  fc.nat(4_000_000_000).map((n) => n * 5),
  fc.constantFrom(0, 1, 2_047, 2_048, 2 ** 21 - 1, 2 ** 21, 2 ** 32 - 1, 2 ** 32),
);
const samples = fc.array(
  sample.map((thousandths) => thousandths / 1000),
  { maxLength: 60 },
);
const digits = fc.constantFrom<Digits>(2, 3);

/** How many binary digits a whole number has. */
const bitsOf = (value: number): number => value.toString(2).length;

/** The same samples as another program counts them. */
const libraryHistogram = (
  values: readonly number[],
  precision: Digits,
  highest: number,
): hdr.Histogram => {
  const histogram = hdr.build({
    bitBucketSize: 64,
    highestTrackableValue: highest,
    numberOfSignificantValueDigits: precision,
  });
  for (const value of values) histogram.recordValue(Math.round(value * 1000) + 0);
  return histogram;
};

describe('a histogram', () => {
  it('without samples has no extremes, no mean and a sum of 0', () => {
    const empty = emptyHistogram();
    expect([empty.count, empty.min, empty.max, empty.mean, empty.sum]).toEqual([
      0,
      null,
      null,
      null,
      0,
    ]);
    expect(() => empty.atRank(1)).toThrow(RangeError);
  });

  it.each([-1, -1e-9, Number.NaN, Number.POSITIVE_INFINITY, 1e16])('rejects %d', (value) => {
    const histogram = emptyHistogram();
    expect(() => histogram.record(value)).toThrow(RangeError);
    expect(histogram.count).toBe(0);
  });

  it('treats negative zero as zero, before and after encoding', () => {
    const histogram = holding([-0]);
    expect(histogram.min).toBe(0);
    expect(decodeHistogram(histogram.toJSON()).toJSON()).toEqual(histogram.toJSON());
  });

  it('has an exact count, extremes and sum', () => {
    fc.assert(
      fc.property(samples, digits, (values, precision) => {
        const histogram = holding(values, precision);
        const whole = values.map((value) => Math.round(value * 1000));
        expect(histogram.count).toBe(values.length);
        expect(histogram.sum).toBe(whole.reduce((a, b) => a + b, 0) / 1000);
        expect(histogram.min).toBe(values.length === 0 ? null : Math.min(...values));
        expect(histogram.max).toBe(values.length === 0 ? null : Math.max(...values));
      }),
    );
  });

  it('counts a value as often as it is said to stand for', () => {
    const [weighted, repeated] = [emptyHistogram(), emptyHistogram()];
    for (const value of [3, 1, 2000]) weighted.record(value, 8);
    for (const value of [3, 1, 2000]) {
      for (let time = 0; time < 8; time += 1) repeated.record(value);
    }
    expect(weighted.toJSON()).toEqual(repeated.toJSON());
  });

  it('returns the sample at each rank to its number of digits', () => {
    fc.assert(
      fc.property(samples, digits, (values, precision) => {
        const histogram = holding(values, precision);
        const sorted = values.toSorted((a, b) => a - b);
        for (const [i, exact] of sorted.entries()) {
          const value = histogram.atRank(i + 1);
          expect(value).toBeGreaterThanOrEqual(exact);
          expect(value).toBeLessThanOrEqual(exact * (1 + 10 ** -precision) + 0.001);
        }
      }),
    );
  });

  it('has every rank between its extremes and no rank outside 1 … count', () => {
    const histogram = holding([3, 1, 2]);
    expect([1, 2, 3].map((rank) => histogram.atRank(rank))).toEqual([1, 2, 3]);
    for (const rank of [0, 4, Number.NaN]) expect(() => histogram.atRank(rank)).toThrow(RangeError);
  });

  it('finds ranks among 100,000 samples as exactly as among three', () => {
    const histogram = emptyHistogram();
    for (let i = 0; i < 100_000; i += 1) histogram.record(i % 1000);
    for (const rank of [1, 99, 100, 101, 49_999, 50_000, 50_001, 99_900, 99_901, 100_000]) {
      const exact = Math.floor((rank - 1) / 100);
      expect(histogram.atRank(rank)).toBeGreaterThanOrEqual(exact);
      expect(histogram.atRank(rank)).toBeLessThanOrEqual(exact * 1.001 + 0.001);
    }
  });

  it('refuses to add a histogram with another number of digits', () => {
    expect(() => holding([1], 3).add(holding([1], 2))).toThrow(/3 and 2 digits/);
  });
});

describe('adding histograms', () => {
  it('is byte for byte the same as recording into one, before and after encoding', () => {
    fc.assert(
      fc.property(samples, samples, digits, (some, others, precision) => {
        const whole = holding([...some, ...others], precision).toJSON();
        const [a, b] = [holding(some, precision), holding(others, precision)];
        const decoded = sum(decodeHistogram(a.toJSON()), decodeHistogram(b.toJSON()));
        expect(sum(a, b).toJSON()).toEqual(whole);
        expect(decoded.toJSON()).toEqual(whole);
      }),
    );
  });

  it('does not depend on order or grouping, and adding nothing changes nothing', () => {
    fc.assert(
      fc.property(samples, samples, samples, (first, second, third) => {
        const [a, b, c] = [holding(first), holding(second), holding(third)];
        expect(sum(a, b).toJSON()).toEqual(sum(b, a).toJSON());
        expect(sum(sum(a, b), c).toJSON()).toEqual(sum(a, sum(b, c)).toJSON());
        expect(sum(a, emptyHistogram()).toJSON()).toEqual(a.toJSON());
      }),
      { numRuns: 50 },
    );
  });

  it('does not change the added histogram', () => {
    const added = holding([1, 5000]);
    const before = added.toJSON();
    holding([70_000]).add(added);
    expect(added.toJSON()).toEqual(before);
  });
});

describe('an encoded histogram', () => {
  it('decodes to the same histogram, and fits its schema', () => {
    fc.assert(
      fc.property(samples, digits, (values, precision) => {
        const encoded = holding(values, precision).toJSON();
        expect(encodedHistogramSchema.parse(JSON.parse(JSON.stringify(encoded)))).toEqual(encoded);
        expect(decodeHistogram(encoded).toJSON()).toEqual(encoded);
      }),
    );
  });

  it('can be recorded into further', () => {
    fc.assert(
      fc.property(samples, samples, (before, after) => {
        const resumed = decodeHistogram(holding(before).toJSON());
        for (const value of after) resumed.record(value);
        expect(resumed.toJSON()).toEqual(holding([...before, ...after]).toJSON());
      }),
      { numRuns: 50 },
    );
  });

  it('is what the library hdr-histogram-js writes, byte for byte', () => {
    fc.assert(
      fc.property(samples, digits, (values, precision) => {
        fc.pre(values.length > 0);
        const own = holding(values, precision).toJSON();
        const max = Math.round(own.max! * 1000);
        const counted = libraryHistogram(values, precision, 2 ** Math.max(11, bitsOf(max)) - 1);
        expect(own.hdr).toBe(hdr.encodeIntoCompressedBase64(counted));
      }),
    );
  });

  it('of another range, lowest value or number of digits is read as the library reads it', () => {
    const ranges = fc.record({
      highest: fc.constantFrom(2 ** 40, 2 ** 36 + 12_345),
      lowest: fc.constantFrom(1, 2, 7, 1000),
      digits: fc.constantFrom<1 | 2 | 3>(1, 2, 3),
    });
    fc.assert(
      fc.property(samples, digits, ranges, (values, precision, range) => {
        fc.pre(values.length > 0);
        const foreign = hdr.build({
          bitBucketSize: 64,
          highestTrackableValue: range.highest,
          lowestDiscernibleValue: range.lowest,
          numberOfSignificantValueDigits: range.digits,
        });
        for (const value of values) foreign.recordValue(Math.round(value * 1000));
        const expected = libraryHistogram([], precision, 2 ** 41);
        expected.add(foreign);
        const encoded = {
          ...holding(values, precision).toJSON(),
          hdr: hdr.encodeIntoCompressedBase64(foreign),
        };
        const read = decodeHistogram(encoded);
        for (const [i] of values.entries()) {
          if (i === 0 || i === values.length - 1) continue;
          const rank = i + 1;
          const percentile = ((rank - 0.5) / values.length) * 100;
          const exact = expected.getValueAtPercentile(percentile) / 1000;
          expect(read.atRank(rank)).toBe(Math.min(Math.max(exact, read.min!), read.max!));
        }
      }),
    );
  });

  it('is refused if it says another number of samples than it holds, or holds some above its maximum', () => {
    const encoded = holding([0.5, 12.25, 99]).toJSON();
    const accepts = (changed: object): boolean =>
      encodedHistogramSchema.safeParse({ ...encoded, ...changed }).success;
    expect(accepts({})).toBe(true);
    for (const changed of [
      { count: 2 },
      { count: 4 },
      { max: 12.25 },
      { max: null },
      { sum: 1e308 },
    ])
      expect(accepts(changed)).toBe(false);
  });

  it('whose last counter is cut off or too large is refused', () => {
    const { hdr: text, ...rest } = holding([0.5, 12.25, 99]).toJSON();
    const whole = Buffer.from(text, 'base64');
    const inflated = inflateSync(whole.subarray(8));
    const accepts = (end: readonly number[]): boolean => {
      const changed = Buffer.concat([inflated.subarray(0, -1), Buffer.from(end)]);
      changed.writeInt32BE(changed.length - 40, 4);
      const compressed = deflateSync(changed);
      const head = Buffer.from(whole.subarray(0, 8));
      head.writeInt32BE(compressed.length, 4);
      const changedText = Buffer.concat([head, compressed]).toString('base64');
      return encodedHistogramSchema.safeParse({ ...rest, hdr: changedText }).success;
    };
    const last = inflated.at(-1)!;
    expect(accepts([last])).toBe(true);
    // The first of seven bits says that more follow.
    expect(accepts([last, 128])).toBe(false);
    expect(accepts([last, ...Array<number>(8).fill(255), 255])).toBe(false);
  });

  it('that is damaged anywhere is refused or read, and never does anything else', () => {
    const { hdr: text, ...rest } = holding([0.5, 12.25, 99, 7_000_000]).toJSON();
    const whole = Buffer.from(text, 'base64');
    const inflated = inflateSync(whole.subarray(8));
    const damage = fc.record({ at: fc.nat(inflated.length - 1), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
        const damaged = Buffer.from(inflated);
        for (const { at, byte } of damages) damaged[at] = byte;
        const compressed = deflateSync(damaged);
        const head = Buffer.from(whole.subarray(0, 8));
        head.writeInt32BE(compressed.length, 4);
        const encoded = { ...rest, hdr: Buffer.concat([head, compressed]).toString('base64') };
        const parsed = encodedHistogramSchema.safeParse(encoded);
        if (!parsed.success) return;
        const read = decodeHistogram(parsed.data);
        for (let rank = 1; rank <= read.count; rank += 1) read.atRank(rank);
        expect(encodedHistogramSchema.safeParse(read.toJSON()).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('with the range of another tool is converted to that of Weir', () => {
    const values = [0.5, 12.25, 12.25, 99];
    const wide = hdr.build({
      bitBucketSize: 64,
      highestTrackableValue: 2 ** 40,
      numberOfSignificantValueDigits: 3,
    });
    for (const value of values) wide.recordValue(value * 1000);
    const own = holding(values).toJSON();
    const foreign = { ...own, hdr: hdr.encodeIntoCompressedBase64(wide) };
    expect(foreign.hdr).not.toBe(own.hdr);
    expect(decodeHistogram(foreign).toJSON()).toEqual(own);
  });

  it('is in the standard form, which other tools read, in thousandths of the unit', () => {
    const values = [0.5, 12.25, 12.25, 99_000];
    const read = hdr.decodeFromCompressedBase64(holding(values).toJSON().hdr);
    expect(read.totalCount).toBe(4);
    expect(read.getValueAtPercentile(50)).toBeCloseTo(12_250, -2);
    expect(read.maxValue / 99_000_000).toBeCloseTo(1, 3);
  });
});
