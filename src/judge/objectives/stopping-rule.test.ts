// @long 150 s
import { describe, expect, it } from 'vitest';
import { dependenceOfPercentiles } from '../../model/measures/dependence.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { type Process, processes, uniformFrom } from '../../model/measures/processes.fixture.ts';
import { doubtOfLooks, quantile } from '../../model/measures/quantile.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { nextLook } from './stopping-rule.ts';

/** How often a run that ends when it is sure is wrong, in runs of at most 20 minutes whose truth is known. */

const replications = 300;
const perSecond = 20;
const atMost = 1200;

const looks: readonly number[] = (() => {
  const plan = samplePlan({ warmUp: milliseconds(0) });
  const instants: number[] = [];
  for (let at = nextLook(plan, 0); at < atMost * 1000; at = nextLook(plan, at))
    instants.push(Math.round(at / 1000));
  return [...instants, atMost];
})();

/** The bounds that are tried, as parts of the truth. */
const bounds = [0.8, 0.9, 0.95, 1.05, 1.1, 1.2];

/** Returns the outer interval of a quantile at each look. */
const intervalsOf = (process: Process, q: number, run: number) => {
  const seconds = Array.from({ length: atMost }, () => emptyHistogram(2));
  const all = process.samples(uniformFrom(run * 7919 + 13), perSecond * atMost, perSecond);
  const whole = emptyHistogram(3);
  let next = 0;
  return looks.map((look) => {
    for (; next < all.length && all[next]![0] < look * 1000; next += 1) {
      const [due, took] = all[next]!;
      whole.record(took);
      seconds[Math.floor(due / 1000)]!.record(took);
    }
    const dependence = dependenceOfPercentiles(seconds.slice(0, look))(q);
    return quantile(whole, q, dependence, doubtOfLooks)!.outer;
  });
};

/** Whether the first look that is sure of a bound says that the figure is below it; `null` if no look is sure. */
const decisionOn = (intervals: ReturnType<typeof intervalsOf>, bound: number): boolean | null => {
  for (const { low, high } of intervals) {
    if (high !== null && high < bound) return true;
    if (low !== null && low > bound) return false;
  }
  return null;
};

it('the looks are at growing times, about ten of them in 20 minutes', () => {
  expect(looks).toEqual([30, 45, 68, 101, 152, 228, 342, 513, 769, 1153, 1200]);
});

describe.each([
  'independent requests',
  'M/M/1 at 0.5',
  'M/M/1 at 0.8',
  'M/M/8 at 0.5',
  'M/M/8 at 0.8',
  'AR(1) of 0.8',
])('of %s', (name) => {
  it.each([0.5, 0.95])('at most 2 %% of the runs end with a wrong decision: quantile %d', (q) => {
    const process = processes[name]!;
    const truth = process.truth(q, perSecond);
    const wrong = bounds.map(() => 0);
    for (let run = 0; run < replications; run += 1) {
      const intervals = intervalsOf(process, q, run);
      for (const [i, part] of bounds.entries()) {
        const isBelow = decisionOn(intervals, truth * part);
        if (isBelow !== null && isBelow !== part > 1) wrong[i]! += 1;
      }
    }
    expect(Math.max(...wrong) / replications).toBeLessThanOrEqual(0.02);
  });
});
