// @long 200 s
import { describe, expect, it } from 'vitest';
import { type Dependence, dependenceOfShare, strongest } from '../../model/measures/dependence.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { type Process, processes, uniformFrom } from '../../model/measures/processes.fixture.ts';
import { doubtOfLooks, quantile } from '../../model/measures/quantile.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { nextLook } from './stopping-rule.ts';

/** How often a run that ends when it is sure is wrong, in runs of at most 20 minutes whose truth is known. */

const replications = 100;
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

const dependencesIn =
  (seconds: readonly Histogram[]) =>
  (value: number): Dependence | null =>
    dependenceOfShare(seconds.map((each) => ({ events: each.countUpTo(value), of: each.count })));

/** Returns for each bound whether the first look that is sure says that the quantile is below it; `null` if none is. */
const decisionsOf = (process: Process, q: number, run: number): readonly (boolean | null)[] => {
  const seconds = Array.from({ length: atMost }, () => emptyHistogram(2));
  const all = process.samples(uniformFrom(run * 7919 + 13), perSecond * atMost, perSecond);
  const whole = emptyHistogram(3);
  const truth = process.truth(q, perSecond);
  const decisions = bounds.map((): boolean | null => null);
  let next = 0;
  for (const look of looks) {
    for (; next < all.length && all[next]![0] < look * 1000; next += 1) {
      const [due, took] = all[next]!;
      whole.record(took);
      seconds[Math.floor(due / 1000)]!.record(took);
    }
    const dependenceUpTo = dependencesIn(seconds.slice(0, look));
    for (const [i, part] of bounds.entries()) {
      const bound = truth * part;
      const dependence = strongest([bound, bound / 2].map(dependenceUpTo));
      const { low, high } = quantile(whole, q, dependence, doubtOfLooks)!.outer;
      if (high !== null && high < bound) decisions[i] ??= true;
      if (low !== null && low > bound) decisions[i] ??= false;
    }
  }
  return decisions;
};

it('the looks are at growing times, about ten of them in 20 minutes', () => {
  expect(looks).toEqual([30, 45, 68, 101, 152, 228, 342, 513, 769, 1153, 1200]);
});

describe.each([
  'independent requests',
  'M/M/1 at 0.5',
  'M/M/1 at 0.8',
  'M/M/8 at 0.8',
  'AR(1) of 0.8',
])('of %s', (name) => {
  it.each([0.5, 0.95])(
    'of quantile %d few runs decide wrongly: at most 2 in 100',
    { timeout: 300_000 },
    (q) => {
      const process = processes[name]!;
      const wrong = bounds.map(() => 0);
      for (let run = 0; run < replications; run += 1) {
        for (const [i, isBelow] of decisionsOf(process, q, run).entries()) {
          if (isBelow !== null && isBelow !== bounds[i]! > 1) wrong[i]! += 1;
        }
      }
      expect(Math.max(...wrong) / replications).toBeLessThanOrEqual(0.02);
    },
  );
});
