import { describe, expect, it } from 'vitest';
import { fitScalability } from './fit-scalability.ts';
import { countingSpread, growthOfFlow, slopeOf } from './growth.ts';
import { overloadedStep, sampleStep } from './sample-steps.fixture.ts';
import { mostSeen } from './seen-throughput.ts';

/** The numbers of a report without the digits that differ between machines. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(7)) : each,
    ),
  );
/** So many numbers in a wave of that period about a level. */
const wave = (count: number, level: number, height: number, period: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => level + (i % period < period / 2 ? height : -height));

describe('the numbers of the growth', () => {
  it('are a slope with the error that its residuals and their dependence leave', () => {
    expect(
      rounded([
        slopeOf([1, 2, 4]),
        slopeOf([5, 1, 6, 2, 7, 3]),
        slopeOf(wave(12, 10, 2, 6)),
        slopeOf([0, 0, 0]),
      ]),
    ).toMatchSnapshot();
  });

  it('are a spread by ten blocks of at least one second', () => {
    // Nine seconds give no blocks: 1 / √90. Ten of 0 and 20 vary twenty times as much as chance: 200 / 9 over 10.
    expect(countingSpread(wave(9, 10, 10, 2))).toBeCloseTo(1 / 10, 9);
    expect(countingSpread(wave(10, 10, 10, 2))).toBeCloseTo(Math.sqrt(1000 / 9 / 10 / 100), 9);
    // In blocks of two seconds, the same wave is even; what is after the last whole block does not count for them.
    expect(countingSpread(wave(20, 10, 10, 2))).toBeCloseTo(1 / Math.sqrt(200), 9);
    expect(countingSpread([...wave(20, 10, 10, 2), 56])).toBeCloseTo(1 / 16, 9);
    expect(countingSpread([0, 0])).toBe(1);
    expect(countingSpread([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])).toBe(1);
    expect(countingSpread([...wave(9, 0, 0, 2), 1000])).toBe(1);
  });

  it('are the counts of those that began and ended, or the scatter of those in flight if that is surer', () => {
    const begun = wave(30, 40, 0, 2);
    const flow = (ended: number, inFlight: readonly number[]) =>
      rounded(growthOfFlow({ begun, ended: wave(30, ended, 0, 2), inFlight }));
    expect([
      flow(36, wave(31, 9, 4, 2)),
      flow(40, wave(31, 9, 4, 10)),
      flow(40, wave(31, 900, 400, 2)),
      // Twenty samples that do not depend on each other are enough, and nineteen are not.
      flow(40, wave(20, 9, 1, 2)),
      flow(40, wave(19, 9, 1, 2)),
    ]).toMatchSnapshot();
    expect(growthOfFlow({ begun: [1], ended: [0], inFlight: [0, 1] })).toEqual({
      value: 1,
      low: expect.closeTo(1 - 1.96, 2),
      high: 1,
    });
    expect(growthOfFlow({ begun: [1], ended: [9], inFlight: [9, 1] })).toMatchObject({
      value: -1,
      low: -1,
      high: expect.closeTo(-8 + 3 * 1.96, 2),
    });
  });
});

describe('the numbers of the fitted law', () => {
  const stepsAt = (...points: [inFlight: number, throughput: number][]) =>
    points.map(([inFlight, throughput]) => sampleStep(1, { inFlight, throughput }));

  it('are its parameters, its knee and its curve', () => {
    const shape = (...points: Parameters<typeof stepsAt>) => {
      const fit = fitScalability(stepsAt(...points));
      const { curve, ...others } = fit!;
      expect(curve).toHaveLength(60);
      return { ...others, curve: [curve[0], curve[29], curve[59]] };
    };
    expect(
      rounded([
        // With contention, with it and a cost that grows with the load, with that cost alone, and without either.
        shape([1, 3], [5, 12.4], [10, 20.1], [20, 31], [40, 40.5]),
        shape([1, 3], [4, 10.4], [10, 19.2], [20, 24], [40, 21.5], [60, 18]),
        shape([1, 3], [5, 14.9], [10, 28.5], [20, 51], [40, 73]),
        shape([1, 3.1], [2, 6], [3, 8.9], [4, 12.1]),
      ]),
    ).toMatchSnapshot();
  });

  it('are absent without three loads that differ in two digits', () => {
    expect(fitScalability(stepsAt([10, 3], [10.1, 3], [20, 5]))).toBeNull();
    expect(fitScalability(stepsAt([10, 3], [11, 3.3], [20, 5]))).not.toBeNull();
    expect(fitScalability(stepsAt([10, 3], [11, 0], [20, 5]))).toBeNull();
    expect(fitScalability(stepsAt([10, 3], [0, 3], [20, 5]))).toBeNull();
    expect(fitScalability([])).toBeNull();
  });
});

describe('the most that was seen', () => {
  const full = (...[rate, throughput, changes]: Parameters<typeof overloadedStep>) =>
    overloadedStep(rate, throughput, { spread: 0.02, ...changes });
  const seen = (...steps: Parameters<typeof mostSeen>[0]) => rounded(mostSeen(steps));

  it('is nothing without a step that is surely full', () => {
    expect(seen(sampleStep(4), full(8, 5, { sure: false }))).toBeNull();
    expect(seen(full(8, 0))).toBeNull();
    expect(seen(full(8, 5, { verdict: 'kept' }))).toBeNull();
    const late = (bound: 'refusals' | 'failures' | 'latency' | 'tokens') =>
      seen(full(8, 5, { breaches: [{ bound, text: '' }] })) === null;
    expect((['refusals', 'failures', 'latency', 'tokens'] as const).map(late)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('is the mean of full steps, which is wider if they disagree', () => {
    expect([
      seen(full(8, 5)),
      seen(full(8, 5, { spread: 0.001 })),
      seen(full(8, 5), full(9, 5.1)),
      seen(full(8, 5), full(9, 5.6)),
      seen(full(8, 5), full(9, 5.2, { spread: 0.06 }), full(10, 5.1)),
    ]).toMatchSnapshot();
  });

  it('is not below what a kept step completed, by the share that completes', () => {
    const short = sampleStep(5.3, { throughput: 5.2, completed: 90, arrivals: 100 });
    expect([
      seen(full(8, 5), sampleStep(5.3, { throughput: 5.2 })),
      seen(full(8, 5), short),
      seen(full(8, 5), { ...short, sure: false }),
      seen(full(8, 5), short, sampleStep(4, { completed: 300, arrivals: 300 })),
      seen(full(8, 5), { ...short, completed: 0 }),
      // A step that surely completed less than a kept one has collapsed.
      seen(full(8, 5), sampleStep(5.3, { throughput: 5.19 })),
      seen(full(8, 5), sampleStep(5.3, { throughput: 5.21 })),
      // Every step from the lowest full one on counts.
      seen(full(8, 5), sampleStep(8, { throughput: 5.1, sure: false, spread: 0.02 })),
      seen(full(8, 5), sampleStep(7.9, { throughput: 5.1, sure: false, spread: 0.02 })),
    ]).toMatchSnapshot();
  });
});
