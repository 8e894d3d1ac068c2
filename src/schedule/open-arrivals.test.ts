import { describe, expect, it } from 'vitest';
import { wholeRunSlice } from '../model/workload/arrival.ts';
import { instant } from '../model/quantity.ts';
import { arrivals, openLoadOf, segment } from './open-arrivals.fixture.ts';
import { openArrivals, openArrivalCount } from './open-arrivals.ts';

describe('even arrivals', () => {
  it('are 75 at 3/s over 25 s, the first at once and the last before the end', () => {
    const due = arrivals(openLoadOf([segment(3, 3, 25_000)])).map((arrival) => arrival.due);
    expect(due).toHaveLength(75);
    expect(due.slice(0, 4)).toEqual([0, 1000 / 3, 2000 / 3, 1000]);
    expect(due.at(-1)).toBeCloseTo(24_666.666_667, 6);
  });

  it('come ever faster on a ramp from zero: n is due at the square root of n', () => {
    const due = arrivals(openLoadOf([segment(0, 10, 10_000)])).map((arrival) => arrival.due);
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
    expect(arrivals(openLoadOf(curve))).toHaveLength(count);
    expect(openArrivalCount(openLoadOf(curve))).toBe(count);
  });

  it('come at the end of a pause instead of at its start', () => {
    const curve = [
      segment(0, 0, 2000),
      segment(2, 2, 1000),
      segment(0, 0, 3000),
      segment(2, 2, 1000),
    ];
    expect(arrivals(openLoadOf(curve)).map(({ due }) => due)).toEqual([2000, 2500, 6000, 6500]);
  });

  it('come at its end even if the area before it is not an exact binary number', () => {
    const curve = [segment(2.2, 2.2, 25_000), segment(0, 0, 5000), segment(2.2, 2.2, 25_000)];
    expect(arrivals(openLoadOf(curve)).find(({ index }) => index === 55)?.due).toBe(30_000);
  });

  it('stay within their stage even if the clock cannot distinguish them from its end', () => {
    const start = 1e10;
    const due = arrivals(openLoadOf([segment(20_000, 20_000, 1.000_000_1)]), { start }).at(-1)!.due;
    expect(due).toBeGreaterThanOrEqual(start);
    expect(due).toBeLessThan(start + 1.000_000_1);
  });

  it('begin with their stage and carry its number', () => {
    const [first, second] = arrivals(openLoadOf([segment(2, 2, 1000)]), { start: 5000, stage: 3 });
    expect(first).toEqual({ stage: 3, index: 0, due: 5000 });
    expect(second).toEqual({ stage: 3, index: 1, due: 5500 });
  });
});

describe('Poisson arrivals', () => {
  const steady = openLoadOf([segment(50, 50, 100_000)], 'poisson');

  it('repeat for the same seed and stage, and differ for another seed or stage', () => {
    const dues = (at: Parameters<typeof arrivals>[1] = {}) =>
      arrivals(openLoadOf([segment(50, 50, 1000)], 'poisson'), at).map(({ due }) => due);
    expect(dues()).toEqual(dues());
    expect(dues({ seed: 8 })).not.toEqual(dues());
    expect(dues({ stage: 1 })).not.toEqual(dues());
  });

  it.each([1, 2, 3, 4, 5])(
    'have the mean number within four standard deviations (seed %i)',
    (seed) => {
      expect(openArrivalCount(steady)).toBe(5000);
      const count = arrivals(steady, { seed }).length;
      expect(Math.abs(count - 5000)).toBeLessThan(4 * Math.sqrt(5000));
    },
  );

  it('follow a ramp: a quarter of them in its first half', () => {
    const ramp = arrivals(openLoadOf([segment(0, 100, 100_000)], 'poisson'));
    const early = ramp.filter(({ due }) => due < 50_000).length;
    expect(Math.abs(early - 1250)).toBeLessThan(4 * Math.sqrt(1250));
  });
});

it('a random arrival just before a last pause is due at its own moment, not at the end of the load', () => {
  // At 1/s, the first of these arrivals is due when the area is the first gap.
  const [{ due: firstGap } = { due: 0 }] = arrivals(openLoadOf([segment(1, 1, 60_000)], 'poisson'));
  // At 0.001/s, a ten-millionth of an arrival takes 0.1 ms.
  const curve = [segment(0.001, 0.001, firstGap * 1000 + 0.1), segment(0, 0, 1000)];
  const dues = arrivals(openLoadOf(curve, 'poisson')).map(({ due }) => due);
  expect(dues).toEqual([expect.closeTo(firstGap * 1000, 6)]);
});

describe('gamma arrivals', () => {
  it.each([0.25, 1, 5])('have the mean gap of their rate (shape %f)', (gamma) => {
    const gaps = arrivals(openLoadOf([segment(50, 50, 20_000)], { gamma }), { seed: 3 });
    expect(Math.abs(gaps.length - 1000)).toBeLessThan(4 * Math.sqrt(1000 / gamma));
  });

  it('follow a ramp: a quarter of them in its first half', () => {
    const ramp = arrivals(openLoadOf([segment(0, 100, 100_000)], { gamma: 0.5 }));
    const early = ramp.filter(({ due }) => due < 50_000).length;
    expect(Math.abs(early - 1250)).toBeLessThan(4 * Math.sqrt(2 * 1250));
  });
});

describe('arrivals of any spacing', () => {
  it.each(['even', 'poisson', { gamma: 0.5 }] as const)(
    'are dealt to slices in turn: %o',
    (spacing) => {
      const load = openLoadOf([segment(20, 20, 1000)], spacing);
      const whole = arrivals(load);
      for (const index of [0, 1, 2])
        expect(arrivals(load, { slice: { index, count: 3 } })).toEqual(
          whole.filter((arrival) => arrival.index % 3 === index),
        );
    },
  );

  it.each<[Parameters<typeof openLoadOf>[1], readonly number[]]>([
    ['poisson', [29, 113, 191, 278, 347, 666, 761, 831, 858, 993, 1007, 1164]],
    [{ gamma: 0.25 }, [16, 77, 78, 81, 109, 116, 121, 121, 182, 185, 251, 388]],
    [{ gamma: 1 }, [13, 222, 295, 373, 534, 591, 604, 657, 657, 663, 712, 1097]],
    [{ gamma: 5 }, [16, 167, 264, 363, 497, 585, 642, 727, 759, 805, 888, 1094]],
  ])('come when they came with the same seed in earlier versions: %o', (spacing, dues) => {
    const all = arrivals(openLoadOf([segment(10, 10, 1500)], spacing));
    expect(all.slice(0, 12).map(({ due }) => Math.round(due))).toEqual(dues);
  });

  it('are computed on demand: an endless load costs nothing before its arrivals', () => {
    const endless = openLoadOf([segment(20_000, 20_000, 1e12)], 'poisson');
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
  expect(arrivals(openLoadOf([segment(1, 1, duration)]))).toHaveLength(count);
});
