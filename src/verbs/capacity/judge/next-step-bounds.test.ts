// @gate 1 s
import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { borderStepFor, climbStepFor, nextStep } from './next-step.ts';
import { lateStep, overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

const terms = sampleTerms();
const forLatency = sampleTerms({ forLatency: true, precision: 0.1 });
/** The rate to five digits, the seconds and the warm-up of the next step. */
const next = (steps: readonly CapacityStep[], of = terms) => {
  const step = nextStep(steps, of);
  return step && [Number(step.rate.toPrecision(5)), step.seconds, step.warmUp];
};
const slow = (p50: number) => ({ latency: { mean: p50, p50, p95: p50 } });
const wide = { value: 0, low: -0.3, high: 0.3 };

describe('the length of a step', () => {
  it('is what its arrivals need, with as long to settle, and a few seconds at least', () => {
    // Fifteen arrivals at 1/s take 15 s, and as long before; at 100/s, the least is 6 s.
    expect([0.5, 1, 2.5, 3, 100].map((rate) => climbStepFor(rate, terms))).toEqual([
      { rate: 0.5, seconds: 46, warmUp: 15 },
      { rate: 1, seconds: 30, warmUp: 15 },
      { rate: 2.5, seconds: 12, warmUp: 6 },
      { rate: 3, seconds: 10, warmUp: 5 },
      { rate: 100, seconds: 6, warmUp: 3 },
    ]);
    // Two thousand arrivals near the border in half a minute at least, and ten minutes at most.
    expect([1, 10, 100, 200, 1000].map((rate) => borderStepFor(rate, terms))).toEqual([
      { rate: 1, seconds: 600, warmUp: 15 },
      { rate: 10, seconds: 216, warmUp: 15 },
      { rate: 100, seconds: 36, warmUp: 15 },
      { rate: 200, seconds: 30, warmUp: 15 },
      { rate: 1000, seconds: 30, warmUp: 15 },
    ]);
    expect(climbStepFor(1, sampleTerms({ samples: 16 })).seconds).toBe(32);
  });

  it('follows the median of the busiest kept step', () => {
    // Ten medians at least; five of them to settle if that is more than 15 s.
    expect(next([sampleStep(4, slow(2000))])).toEqual([8, 20, 10]);
    expect(next([sampleStep(4, slow(4000))])).toEqual([8, 40, 20]);
    expect(next([sampleStep(4, slow(4000)), sampleStep(2, slow(9000))])).toEqual([8, 40, 20]);
    expect(next([sampleStep(4, slow(4000)), sampleStep(5, { latency: null })])).toEqual([
      10, 40, 20,
    ]);
    expect(next([sampleStep(4), { ...lateStep(5, true), ...slow(9000), sure: false }])?.[1]).toBe(
      6,
    );
    expect(next([sampleStep(4, slow(90_000))])).toEqual([8, 600, 300]);
  });

  it('has twice the arrivals after one with too few for an objective', () => {
    const samples = sampleTerms({ samples: 100 });
    const few = sampleStep(2, { verdict: 'undecided', sure: false });
    const doubtful = { ...few, breaches: [{ bound: 'concurrency' as const, text: '' }] };
    expect(next([sampleStep(1), few], samples)).toEqual([2, 116, 15]);
    expect(next([sampleStep(1), doubtful], samples)).toEqual([4, 40, 15]);
    expect(next([few, sampleStep(1)], samples)).toEqual([2, 66, 15]);
  });
});

describe('the climb', () => {
  it('begins at the first rate, or at the highest allowed one, and ends just below that', () => {
    expect(next([])).toEqual([1, 30, 15]);
    expect(next([], sampleTerms({ start: perSecond(3), top: perSecond(2) }))?.[0]).toBe(2);
    const top = sampleTerms({ top: perSecond(10) });
    expect(next([sampleStep(9.79)], top)?.[0]).toBe(10);
    expect(next([sampleStep(9.8)], top)).toBeNull();
    expect(next([sampleStep(4), sampleStep(3)])?.[0]).toBe(8);
    expect(next([sampleStep(2, { verdict: 'unfit' }), sampleStep(1)])?.[0]).toBe(2);
  });

  it('goes on after a step that broke unsurely, or that more kept arrivals refute', () => {
    const unlucky = (arrivals: number) => ({ ...lateStep(8, true), arrivals });
    expect(next([sampleStep(4), { ...unlucky(29), sure: false }], forLatency)?.[0]).toBe(16);
    const after = (kept: number, arrivals: number, changes = {}, broken = 400) =>
      next(
        [sampleStep(4), unlucky(broken), sampleStep(kept, { arrivals, ...changes })],
        forLatency,
      )?.[0] === 16;
    expect([after(8, 400), after(8, 401)]).toEqual([false, true]);
    // Half as much if they were not surely kept, and nothing below the rate, which is exact within 5 %.
    expect([after(8, 800, { sure: false }), after(8, 801, { sure: false })]).toEqual([false, true]);
    expect([after(7.6, 900), after(7.59, 900)]).toEqual([true, false]);
    expect([after(7.84, 9000, {}, 4000), after(7.83, 9000, {}, 4000)]).toEqual([true, false]);
    const lower = { ...lateStep(7, true), arrivals: 400 };
    const higher = { ...lateStep(9, true), sure: false, arrivals: 400 };
    const good = sampleStep(8, { arrivals: 500 });
    expect(next([lower, unlucky(400), good], forLatency)?.[0]).not.toBe(16);
    expect(next([higher, unlucky(400), good], forLatency)?.[0]).toBe(18);
  });
});

describe('a quick step is taken again with more arrivals', () => {
  const quick = (changes: Partial<CapacityStep> = {}, share = 0.1): CapacityStep => ({
    ...lateStep(4, true),
    arrivals: 44,
    misses: [{ share, allowed: 0.05, arrivals: 44, cases: 44 }, null],
    ...changes,
  });
  const isAgain = (step: CapacityStep): boolean =>
    JSON.stringify(next([sampleStep(2), step], forLatency)) === '[4,30,15]';

  it('if it has fewer than 45 arrivals of which less than half missed', () => {
    expect([isAgain(quick()), isAgain(quick({ arrivals: 45 }))]).toEqual([true, false]);
    expect([isAgain(quick({}, 0.499)), isAgain(quick({}, 0.5))]).toEqual([true, false]);
    expect([isAgain(quick({}, 0.051)), isAgain(quick({}, 0.05))]).toEqual([true, false]);
  });

  it('unless it is unsure, has no shares, or its requests in flight grew', () => {
    expect(isAgain(quick({ sure: false }))).toBe(false);
    expect(isAgain(quick({ misses: undefined }))).toBe(false);
    expect(isAgain(quick({ misses: [null] }))).toBe(false);
    const [breach] = quick().breaches;
    expect(isAgain(quick({ breaches: [breach!, { bound: 'concurrency', text: '' }] }))).toBe(false);
    const [miss] = quick().misses!;
    expect(isAgain(quick({ misses: [miss!, { ...miss!, share: 0 }] }))).toBe(true);
    expect(isAgain(quick({ misses: [miss!, { ...miss!, share: 0.6 }] }))).toBe(false);
  });
});

describe('a step with uncertain growth is taken again at twice the length', () => {
  const grown = (changes: Partial<CapacityStep> = {}): CapacityStep =>
    sampleStep(8, { arrivals: 1600, growth: { value: 0, low: -0.05, high: 0.05 }, ...changes });
  const above = overloadedStep(16, 9);
  const again = (...steps: readonly CapacityStep[]) => next([sampleStep(4), above, ...steps]);

  it('of its seconds and its warm-up, up to ten minutes', () => {
    expect(again(grown())).toEqual([8, 120, 15]);
    expect(again(grown({ warmUp: 15 }))).toEqual([8, 90, 15]);
    expect(again(grown({ warmUp: 569, seconds: 30 }))).toEqual([8, 600, 15]);
    expect(again(grown({ warmUp: 570, seconds: 30 }))?.[0]).not.toBe(8);
    const certain = { value: 0, low: -0.05, high: 0.0499 };
    expect(again(grown({ growth: certain }))?.[0]).not.toBe(8);
  });

  it('three times, at rates that differ by less than 0.2 %', () => {
    const near = grown({});
    const at = (rate: number) => ({ ...near, rate: perSecond(rate) });
    expect(again(near, near, near)?.[1]).toBe(120);
    expect(again(near, at(8.015), at(7.985), near)?.[1]).not.toBe(120);
    expect(again(near, at(8.017), near, near)?.[1]).toBe(120);
    expect(next([near, near, near], sampleTerms({ top: perSecond(8) }))?.[1]).toBe(120);
    expect(next([near, near, near, near], sampleTerms({ top: perSecond(8) }))).toBeNull();
  });

  it('but not if it is within the error of measurement, or broke', () => {
    const { breaches } = lateStep(8, true);
    expect(again(grown({ verdict: 'undecided', sure: false, breaches }))?.[0]).not.toBe(8);
    expect(again(grown({ verdict: 'broken' }))?.[0]).not.toBe(8);
  });
});

describe('the way to the answer', () => {
  const quick = (rate: number, arrivals = 45) =>
    sampleStep(rate, { arrivals, sure: false, growth: wide });

  it.each<readonly [string, readonly CapacityStep[]]>([
    ['the middle of rates that are far apart', [quick(10), lateStep(20, true)]],
    ['the belief between rates that are near', [quick(16), lateStep(20, true)]],
    ['what a full step completed', [quick(10), overloadedStep(20, 15)]],
    [
      'just below what full steps completed',
      [quick(8), overloadedStep(20, 12), overloadedStep(13, 12)],
    ],
    [
      'a broken step of too few arrivals',
      [quick(10), { ...lateStep(20, true), sure: false, arrivals: 299 }, overloadedStep(40, 30)],
    ],
    [
      'a broken step of enough arrivals',
      [quick(10), { ...lateStep(20, true), sure: false, arrivals: 300 }, overloadedStep(40, 30)],
    ],
    [
      'six steps',
      [
        lateStep(10, false),
        lateStep(11, false),
        lateStep(12, false),
        lateStep(20, true),
        lateStep(19, true),
        lateStep(18, true),
      ],
    ],
    [
      'five steps and a quick one',
      [
        quick(10, 299),
        lateStep(11, false),
        lateStep(12, false),
        lateStep(20, true),
        lateStep(19, true),
        lateStep(18, true),
      ],
    ],
    [
      'five steps and one of half the arrivals',
      [
        quick(10, 300),
        lateStep(11, false),
        lateStep(12, false),
        lateStep(20, true),
        lateStep(19, true),
        lateStep(18, true),
      ],
    ],
    ['only broken steps', [lateStep(10, true)]],
    ['steps near the answer', [sampleStep(9.9), lateStep(10.1, true)]],
    [
      'steps near the answer, on the next turn',
      [sampleStep(9.9), lateStep(10.1, true), sampleStep(9.95)],
    ],
    [
      'an exact answer without a step below',
      [overloadedStep(10.3, 10), overloadedStep(10.2, 10), overloadedStep(11, 10)],
    ],
    [
      'an exact answer without a step above',
      [sampleStep(9.9), sampleStep(9.8), overloadedStep(16, 10), overloadedStep(14, 10)],
    ],
    [
      'an exact answer with both',
      [sampleStep(9.9), sampleStep(9.8), overloadedStep(10.2, 10), overloadedStep(14, 10)],
    ],
  ])('is %s', (_, steps) => {
    expect([next(steps), next(steps, forLatency)]).toMatchSnapshot();
  });
});
