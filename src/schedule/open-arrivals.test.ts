// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arrival, type Slice, wholeRunSlice } from '../model/workload/arrival.ts';
import { loadDuration, type OpenLoad, type RateSegment } from '../model/plan/plan.ts';
import { instant, milliseconds, perSecond } from '../model/quantity.ts';
import { openArrivals, openArrivalCount } from './open-arrivals.ts';

const segment = (from: number, to: number, duration: number): RateSegment => ({
  from: perSecond(from),
  to: perSecond(to),
  duration: milliseconds(duration),
});
const open = (curve: readonly RateSegment[], spacing: OpenLoad['spacing'] = 'even'): OpenLoad => ({
  kind: 'open',
  curve: [...curve],
  spacing,
});
const arrivals = (
  load: OpenLoad,
  { slice = wholeRunSlice, start = 0, seed = 7, stage = 0 } = {},
): readonly Arrival[] => [
  ...openArrivals(load, { stage, stream: stage, seed, slice, start: instant(start) }),
];

/**
 * Generates curves with rates in tenths and lengths in hundredths of a second, so that the oracle counts in whole
 * numbers.
 */
const curves = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 300 }),
    to: fc.integer({ min: 0, max: 300 }),
    duration: fc.integer({ min: 0, max: 600 }),
  }),
  { minLength: 1, maxLength: 5 },
);
type Tenths = { from: number; to: number; duration: number }[];
const curveOf = (tenths: Tenths): RateSegment[] =>
  tenths.map(({ from, to, duration }) => segment(from / 10, to / 10, duration * 10));

const microsPerDuration = 10_000n;
/** One arrival in the oracle's unit: twice the area, with the rate in tenths and the time in microseconds. */
const arrivalArea = 2n * 10n * 1_000_000n;

/** Computes the exact area up to a moment in whole microseconds, as a fraction, by summing trapezes. */
const areaUntil = (tenths: Tenths, micros: bigint): { over: bigint; under: bigint } => {
  let over = 0n;
  let under = 1n;
  let begins = 0n;
  for (const { from, to, duration } of tenths) {
    const length = BigInt(duration) * microsPerDuration;
    const t = micros - begins < length ? micros - begins : length;
    if (length > 0n && t > 0n) {
      // 2 · area = t · (2 · from + (to − from) · t / length)
      const doubled = t * (2n * BigInt(from) * length + BigInt(to - from) * t);
      over = over * length + doubled * under;
      under *= length;
    }
    begins += length;
  }
  return { over, under };
};

describe('even arrivals', () => {
  it('are 75 at 3/s over 25 s, the first at once and the last before the end', () => {
    const due = arrivals(open([segment(3, 3, 25_000)])).map((arrival) => arrival.due);
    expect(due).toHaveLength(75);
    expect(due.slice(0, 4)).toEqual([0, 1000 / 3, 2000 / 3, 1000]);
    expect(due.at(-1)).toBeCloseTo(24_666.666_667, 6);
  });

  it('come ever faster on a ramp from zero: n is due at the square root of n', () => {
    const due = arrivals(open([segment(0, 10, 10_000)])).map((arrival) => arrival.due);
    expect(due).toHaveLength(50);
    for (const [n, moment] of due.entries()) {
      expect(moment).toBeCloseTo(Math.sqrt(2 * n) * 1000, 9);
    }
  });

  it.each([
    ['a fraction of an arrival is rounded up', [segment(1, 1, 10_200)], 11],
    ['less than one arrival counts as one', [segment(0.5, 0.5, 1000)], 1],
    ['the rounding error of a fraction adds none', [segment(0.1, 0.1, 30_000)], 3],
    [
      'the rounding error of a sum adds none',
      Array.from({ length: 10 }, () => segment(0.1, 0.1, 1000)),
      1,
    ],
    ['a ramp down to zero', [segment(10, 0, 10_000)], 50],
    ['up and down', [segment(0, 4, 5000), segment(4, 0, 5000)], 20],
    ['no rate, no arrivals', [segment(0, 0, 60_000)], 0],
    ['no time, no arrivals', [segment(5, 5, 0)], 0],
  ])('are counted by the area, rounded up: %s', (_, curve, count) => {
    expect(arrivals(open(curve))).toHaveLength(count);
    expect(openArrivalCount(open(curve))).toBe(count);
  });

  it('come at the end of a pause instead of at its start', () => {
    const curve = [
      segment(0, 0, 2000),
      segment(2, 2, 1000),
      segment(0, 0, 3000),
      segment(2, 2, 1000),
    ];
    expect(arrivals(open(curve)).map(({ due }) => due)).toEqual([2000, 2500, 6000, 6500]);
  });

  it('come at its end even if the area before it is not an exact binary number', () => {
    const curve = [segment(2.2, 2.2, 25_000), segment(0, 0, 5000), segment(2.2, 2.2, 25_000)];
    expect(arrivals(open(curve)).find(({ index }) => index === 55)?.due).toBe(30_000);
  });

  it('stay within their stage even if the clock cannot distinguish them from its end', () => {
    const start = 1e10;
    const due = arrivals(open([segment(20_000, 20_000, 1.000_000_1)]), { start }).at(-1)!.due;
    expect(due).toBeGreaterThanOrEqual(start);
    expect(due).toBeLessThan(start + 1.000_000_1);
  });

  it('begin with their stage and carry its number', () => {
    const [first, second] = arrivals(open([segment(2, 2, 1000)]), { start: 5000, stage: 3 });
    expect(first).toEqual({ stage: 3, index: 0, due: 5000 });
    expect(second).toEqual({ stage: 3, index: 1, due: 5500 });
  });

  it('have the count and due instants of the exact area of the curve', () => {
    fc.assert(
      fc.property(curves, (tenths) => {
        const load = open(curveOf(tenths));
        const end = BigInt(loadDuration(load)) * 1000n;
        const whole = areaUntil(tenths, end);
        const all = arrivals(load);
        const unit = whole.under * arrivalArea;
        expect(BigInt(all.length)).toBe((whole.over + unit - 1n) / unit);
        for (const { index, due } of all) {
          const micros = BigInt(Math.round(due * 1000));
          // Where a ramp leaves 0, the last bit of an area is some microseconds of time.
          const before = micros > 20n ? micros - 20n : 0n;
          const after = micros + 20n < end ? micros + 20n : end;
          const target = BigInt(index) * arrivalArea;
          const until = areaUntil(tenths, before);
          expect(until.over <= target * until.under).toBe(true);
          const beyond = areaUntil(tenths, after);
          expect(beyond.over > target * beyond.under).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('Poisson arrivals', () => {
  const steady = open([segment(50, 50, 100_000)], 'poisson');

  it('repeat for the same seed and stage, and differ for another seed or stage', () => {
    expect(arrivals(steady)).toEqual(arrivals(steady));
    const first = ({ due }: Arrival) => due;
    const due = arrivals(steady).map(first);
    expect(arrivals(steady, { seed: 8 }).map(first)).not.toEqual(due);
    expect(arrivals(steady, { stage: 1 }).map(first)).not.toEqual(due);
  });

  it.each([1, 2, 3, 4, 5])(
    'have the mean number within four standard deviations (seed %i)',
    (seed) => {
      expect(openArrivalCount(steady)).toBe(5000);
      const count = arrivals(steady, { seed }).length;
      expect(Math.abs(count - 5000)).toBeLessThan(4 * Math.sqrt(5000));
    },
  );

  it.each([1, 2, 3])(
    'have exponential gaps by the Kolmogorov-Smirnov test at 0.1 % (seed %i)',
    (seed) => {
      const due = arrivals(steady, { seed }).map((arrival) => arrival.due);
      const gaps = due.map((moment, i) => moment - (due[i - 1] ?? 0)).toSorted((a, b) => a - b);
      const distance = gaps.reduce((worst, gap, i) => {
        const share = 1 - Math.exp((-gap * 50) / 1000);
        return Math.max(
          worst,
          Math.abs(share - i / gaps.length),
          Math.abs(share - (i + 1) / gaps.length),
        );
      }, 0);
      expect(distance).toBeLessThan(1.95 / Math.sqrt(gaps.length));
    },
  );

  it('follow a ramp: a quarter of them in its first half', () => {
    const ramp = arrivals(open([segment(0, 100, 100_000)], 'poisson'));
    const early = ramp.filter(({ due }) => due < 50_000).length;
    expect(Math.abs(early - 1250)).toBeLessThan(4 * Math.sqrt(1250));
  });
});

/** Γ(shape) of some shapes, to hold the variates against a function that draws nothing. */
const gammaOf = { 0.25: 3.625_609_908_221_908, 0.5: Math.sqrt(Math.PI), 1: 1, 2: 1, 5: 24 };

/** Returns the distribution function of gamma gaps with mean 1, by the series of the incomplete gamma function. */
const shareBelow = (gap: number, shape: keyof typeof gammaOf): number => {
  const x = gap * shape;
  let term = 1 / shape;
  let sum = term;
  for (let n = 1; term > sum * 1e-16; n += 1) {
    term *= x / (shape + n);
    sum += term;
  }
  return (sum * x ** shape * Math.exp(-x)) / gammaOf[shape];
};

describe('gamma arrivals', () => {
  const shapes = [0.25, 0.5, 1, 2, 5] as const;

  it.each(shapes)('have gaps of shape %f by the Kolmogorov-Smirnov test at 0.1 %%', (gamma) => {
    const due = arrivals(open([segment(50, 50, 100_000)], { gamma })).map((one) => one.due);
    const gaps = due.slice(1).map((moment, i) => ((moment - due[i]!) * 50) / 1000);
    const distance = gaps
      .toSorted((a, b) => a - b)
      .reduce((worst, gap, i) => {
        const share = shareBelow(gap, gamma);
        const [low, high] = [i / gaps.length, (i + 1) / gaps.length];
        return Math.max(worst, Math.abs(share - low), Math.abs(share - high));
      }, 0);
    expect(distance).toBeLessThan(1.95 / Math.sqrt(gaps.length));
  });

  it.each(shapes)('match the area on average, however short it is (shape %f)', (gamma) => {
    const load = open([segment(10, 10, 1000)], { gamma });
    expect(openArrivalCount(load)).toBe(10);
    const counts = Array.from({ length: 4000 }, (_, seed) => arrivals(load, { seed }).length);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
    expect(Math.abs(mean - 10)).toBeLessThan(4 * Math.sqrt(variance / counts.length));
  });

  it('follow a ramp: a quarter of them in its first half', () => {
    const ramp = arrivals(open([segment(0, 100, 100_000)], { gamma: 0.5 }));
    const early = ramp.filter(({ due }) => due < 50_000).length;
    expect(Math.abs(early - 1250)).toBeLessThan(4 * Math.sqrt(2 * 1250));
  });
});

describe('arrivals of any spacing', () => {
  const loads = fc
    .tuple(
      curves,
      fc.oneof(
        fc.constantFrom('even' as const, 'poisson' as const),
        fc.record({ gamma: fc.double({ min: 0.01, max: 1000, noNaN: true }) }),
      ),
    )
    .map(([tenths, spacing]) => open(curveOf(tenths), spacing));
  const seeds = fc.nat();
  const starts = fc.integer({ min: 0, max: 10_000_000 });

  it('are ordered, indexed from 0, and due within their stage', () => {
    fc.assert(
      fc.property(loads, seeds, starts, (load, seed, start) => {
        const all = arrivals(load, { seed, start });
        const end = start + loadDuration(load);
        for (const [i, { index, due }] of all.entries()) {
          expect(index).toBe(i);
          expect(due >= (all[i - 1]?.due ?? start) && due < end).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are the same for any number of slices: disjoint, in order, together the whole', () => {
    fc.assert(
      fc.property(
        loads,
        seeds,
        starts,
        fc.integer({ min: 1, max: 9 }),
        (load, seed, start, count) => {
          const parts = Array.from({ length: count }, (_, index): readonly Arrival[] => {
            const slice: Slice = { index, count };
            return arrivals(load, { seed, start, slice });
          });
          for (const [slice, part] of parts.entries()) {
            expect(part.map(({ index }) => index)).toEqual(part.map((_, i) => slice + i * count));
          }
          expect(parts.flat().toSorted((a, b) => a.index - b.index)).toEqual(
            arrivals(load, { seed, start }),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are computed on demand: an endless load costs nothing before its arrivals', () => {
    const endless = open([segment(20_000, 20_000, 1e12)], 'poisson');
    const [first] = openArrivals(endless, {
      stage: 0,
      stream: 0,
      seed: 1,
      slice: wholeRunSlice,
      start: instant(0),
    });
    expect(first?.index).toBe(0);
  });
});

it.each([
  // What is left of an arrival counts as the end of the curve up to a millionth.
  [3000.0005, 3],
  [3000.0015, 4],
  [2999.9995, 3],
])('a request a second for %d ms makes %d arrivals', (duration, count) => {
  expect(arrivals(open([segment(1, 1, duration)]))).toHaveLength(count);
});
