// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arrival, type Slice } from '../model/workload/arrival.ts';
import { loadDuration, type RateSegment } from '../model/plan/plan.ts';
import { arrivals, openLoadOf, segment } from './open-arrivals.fixture.ts';
import { openArrivalCount } from './open-arrivals.ts';

/** The laws of arrivals, tried on many curves and with many draws. */

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
  it('have the count and due instants of the exact area of the curve', () => {
    fc.assert(
      fc.property(curves, (tenths) => {
        const load = openLoadOf(curveOf(tenths));
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
  const steady = openLoadOf([segment(50, 50, 100_000)], 'poisson');

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
    const due = arrivals(openLoadOf([segment(50, 50, 100_000)], { gamma })).map((one) => one.due);
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
    const load = openLoadOf([segment(10, 10, 1000)], { gamma });
    expect(openArrivalCount(load)).toBe(10);
    const counts = Array.from({ length: 4000 }, (_, seed) => arrivals(load, { seed }).length);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
    expect(Math.abs(mean - 10)).toBeLessThan(4 * Math.sqrt(variance / counts.length));
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
    .map(([tenths, spacing]) => openLoadOf(curveOf(tenths), spacing));
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
});
