import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHistogram, type Histogram } from '../../../model/measures/histogram.ts';
import {
  effectiveShare,
  newcombe,
  halfWidth,
  welch,
} from '../../../judge/statistics/significance.ts';
import {
  driftOf,
  hochberg,
  holm,
  ksDistance,
  newcombeP,
  withoutDrift,
} from './tests-of-significance.ts';
import { uniformFrom } from '../../../model/measures/processes.fixture.ts';
import { repetitionsNeeded } from './judge-metric.ts';
import { driftByRegression, equivalence, newcombeByT } from './comparison-values.fixture.ts';
import {
  beyondNormal,
  beyondT,
  criticalNormal,
  criticalT,
} from '../../../judge/statistics/student-t.ts';

const z95 = 1.959963984540054;

describe('Welch’s test', () => {
  it('agrees with a worked example: t = 2.46, 25 degrees of freedom, p = 0.021', () => {
    const first = [
      27.5, 21, 19, 23.6, 17, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19, 21.7, 21.4,
    ];
    const second = [
      27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8, 22, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4,
    ];
    const contrast = welch(first, second, 0);
    expect(contrast.difference / contrast.error).toBeCloseTo(2.46, 2);
    expect(contrast.freedom).toBeCloseTo(25, 1);
    expect(contrast.p).toBeCloseTo(0.021, 3);
  });

  it('has an interval that excludes zero exactly if p is below the level', () => {
    const values = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
      minLength: 2,
      maxLength: 7,
    });
    fc.assert(
      fc.property(values, values, (first, second) => {
        const contrast = welch(first, second, 1e-6);
        const isOut = Math.abs(contrast.difference) > halfWidth(contrast, 0.05);
        expect(Math.abs(contrast.p - 0.05) < 1e-6 || isOut === contrast.p < 0.05).toBe(true);
      }),
    );
  });

  it('does not treat values that are equal after rounding as exact', () => {
    expect(welch([2, 2, 2], [2, 2, 2], 1e-6).p).toBe(1);
    expect(welch([2, 2, 2], [2, 2, 2], 1e-6).error).toBeGreaterThan(0);
  });
});

describe('the reference values of statsmodels', () => {
  it.each(equivalence)('are those of the equivalence test: %j %j', (first, second, p) => {
    const contrast = welch(first, second, 0);
    // Two one-sided tests at a level find the sides equivalent exactly if the interval at twice the level is inside.
    const reachAt = (level: number): number =>
      Math.abs(contrast.difference) + halfWidth(contrast, 2 * level);
    expect(reachAt(p)).toBeCloseTo(Math.log(1.1), 9);
  });

  it.each(driftByRegression)(
    'are those of the drift and of what remains: %j %j',
    (first, second, found) => {
      const positions = [...first, ...second].map((_, i) => i);
      const places = [positions.slice(0, first.length), positions.slice(first.length)] as const;
      const drift = driftOf([first, second], places, 0)!;
      expect(drift.slope).toBeCloseTo(found.slope, 12);
      expect(drift.p).toBeCloseTo(found.slopeP, 9);
      const { difference, error, p } = withoutDrift([first, second], places, drift);
      expect(difference).toBeCloseTo(found.change, 12);
      expect(error).toBeCloseTo(found.error, 12);
      expect(p).toBeCloseTo(found.p, 9);
    },
  );
});

describe('Hochberg’s adjustment', () => {
  it('agrees with p.adjust in R and multipletests in statsmodels', () => {
    const rounded = (values: readonly number[]) =>
      hochberg(values).map((p) => Number(p.toFixed(9)));
    expect(rounded([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.04, 0.04, 0.02]);
    expect(rounded([0.02, 0.02, 0.02, 0.9])).toEqual([0.04, 0.04, 0.04, 0.9]);
    expect(rounded([0.5, 0.2, 0.9])).toEqual([0.9, 0.6, 0.9]);
    expect(hochberg([])).toEqual([]);
  });

  it('is never larger than Holm’s', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values) => {
        const strict = holm(values);
        for (const [i, p] of hochberg(values).entries()) {
          expect(p).toBeLessThanOrEqual(strict[i]!);
          expect(p).toBeGreaterThanOrEqual(values[i]!);
        }
      }),
    );
  });
});

describe('Holm’s adjustment', () => {
  it('agrees with p.adjust in R', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(9)))).toEqual([
      0.03, 0.06, 0.06, 0.02,
    ]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('Newcombe’s interval', () => {
  it.each([
    ['56/70 − 48/80', { events: 48, of: 80 }, { events: 56, of: 70 }, [0.0524, 0.3339]],
    ['9/10 − 3/10', { events: 3, of: 10 }, { events: 9, of: 10 }, [0.1705, 0.809]],
    ['5/56 − 0/29', { events: 0, of: 29 }, { events: 5, of: 56 }, [-0.0381, 0.1926]],
  ])('for %s is that of table II of his paper', (_, first, second, bounds) => {
    const interval = newcombe(first, second, z95);
    expect(interval.low).toBeCloseTo(bounds[0]!, 4);
    expect(interval.high).toBeCloseTo(bounds[1]!, 4);
  });

  it('excludes zero exactly if its p-value is below the level', () => {
    const [first, second] = [
      { events: 48, of: 80 },
      { events: 56, of: 70 },
    ];
    const p = newcombeP(first, second, beyondNormal);
    expect(p).toBeGreaterThan(0.005);
    expect(p).toBeLessThan(0.05);
    const lowAt = (level: number): number => newcombe(first, second, criticalNormal(level)).low;
    expect(lowAt(p * 1.001)).toBeGreaterThan(0);
    expect(lowAt(p * 0.999)).toBeLessThan(0);
    expect(newcombeP(first, first, beyondNormal)).toBe(1);
    const [none, all] = [0, 1e6].map((events) => ({ events, of: 1e6 }));
    expect(newcombeP(none!, all!, beyondNormal)).toBe(0);
  });

  it.each(newcombeByT)(
    'by Student’s t is that of statsmodels: %j %j, %i degrees of freedom',
    (first, second, freedom, [low, high]) => {
      const interval = newcombe(first, second, criticalT(0.05, freedom));
      expect(interval.low).toBeCloseTo(low, 9);
      expect(interval.high).toBeCloseTo(high, 9);
      const p = newcombeP(first, second, (t) => beyondT(t, freedom));
      expect(p < 0.05).toBe(low > 0 || high < 0);
    },
  );

  it('by Student’s t finds a difference in at most 8 % of equal sides of five runs that fail in bursts', () => {
    const draw = uniformFrom(1);
    // A run of 400 requests in twenty bursts, of which each fails as a whole in one case of ten.
    const run = () => ({
      events: 20 * Array.from({ length: 20 }, draw).filter((each) => each < 0.1).length,
      of: 400,
    });
    const side = () => effectiveShare(Array.from({ length: 5 }, run));
    const pairs = 1000;
    const found = Array.from({ length: pairs }, () =>
      newcombeP(side(), side(), (t) => beyondT(t, 8)),
    );
    expect(found.filter((p) => p < 0.05).length / pairs).toBeLessThanOrEqual(0.08);
  });

  it('counts requests that fail together as fewer', () => {
    const even = [10, 10, 10, 10].map((events) => ({ events, of: 100 }));
    const burst = [40, 0, 0, 0].map((events) => ({ events, of: 100 }));
    expect(effectiveShare(even)).toEqual({ events: 40, of: 400 });
    const { events, of } = effectiveShare(burst);
    expect(events / of).toBeCloseTo(0.1, 12);
    expect(of).toBeLessThan(15);
  });
});

describe('the Kolmogorov-Smirnov distance', () => {
  const of = (samples: readonly number[]): Histogram => {
    const histogram = emptyHistogram();
    for (const sample of samples) histogram.record(sample);
    return histogram;
  };
  const ramp = (from: number): readonly number[] =>
    Array.from({ length: 1000 }, (_, i) => from + i);

  it.each([
    ['equal distributions', 1000, 1000, 0],
    ['a shift by a quarter of the range', 1000, 1250, 0.25],
    ['distributions that do not overlap', 1000, 5000, 1],
  ])('is right for %s', (_, first, second, distance) => {
    const found = ksDistance(of(ramp(first)), of(ramp(second)));
    expect(Math.abs(found! - distance)).toBeLessThanOrEqual(0.01);
  });

  it('is absent without samples', () => {
    expect(ksDistance(of([]), of([1]))).toBeNull();
  });
});

describe('the number of repetitions for a decision', () => {
  const seen = { difference: 0, deviation: 0.05, least: Math.log(1.1), alpha: 0.05 };
  it('follows the formula, and is at least five', () => {
    expect(repetitionsNeeded(seen)).toBe(5);
    // t(0.95, 10) × 0.1 × √(2/6) = 0.1046 is not inside ln 1.1 = 0.0953; with seven, 0.0952 is.
    expect(repetitionsNeeded({ ...seen, deviation: 0.1 })).toBe(7);
    expect(repetitionsNeeded({ ...seen, deviation: 0.1, difference: 0.12 })).toBe(7);
  });

  it('grows fourfold and more if one side comes before the other, since their drift is unknown', () => {
    const slower = { ...seen, deviation: 0.1, difference: 0.2 };
    expect(repetitionsNeeded(slower)).toBe(5);
    // t(0.025, 21) × 0.1 × √(2/12 + 6 × 12/(12² − 1)) = 0.1976 (scipy); with eleven, 0.2082.
    expect(repetitionsNeeded({ ...slower, isApart: true })).toBe(12);
  });

  it('is unknown if the difference equals the minimum effect', () => {
    expect(repetitionsNeeded({ ...seen, difference: seen.least })).toBeNull();
  });
});
