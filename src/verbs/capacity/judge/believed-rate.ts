import { z95 } from '../../../model/measures/dependence.ts';
import type { CapacityStep, CapacityTerms, EstimatedRange } from '../model/capacity.ts';
import { designEffect } from '../../../model/measures/share.ts';
import { beyondNormal } from '../../../judge/statistics/student-t.ts';

/**
 * This file computes what the steps of a search tell about the highest rate: a distribution over the logarithm of
 * rates for each condition, at first uniform, multiplied by the likelihood of each step. This is Bayesian threshold
 * estimation as in QUEST (Watson & Pelli, Perception & Psychophysics 33, 1983). The highest rate is the lowest of all
 * conditions.
 */

/** Relative distance of the rates of the grid. */
const grain = 0.0025;

/** The grid begins at the lowest rate tried divided by the one, and ends at the highest that broke, times the other. */
const reach = { below: 64, above: 2 } as const;

/** The probability that a step says nothing about the rate, since something else disturbed it. */
const misleadingChance = 0.001;

/**
 * A search ends when its interval is narrow, which it is more often where it is wrong: errors count as so many times as
 * large, so that nine of ten intervals hold the truth.
 */
const allowance = 1.15;

/** The minimum relative error of a step. */
const leastSpread = 0.005;

/** The deviance of a step, twice the lost logarithm of the likelihood, if the condition holds up to `rate`. */
type Deviance = (rate: number) => number;

/** A step that tells something about the rate: kept, broken, or undecided only since its growth is not certain. */
export const isEvidence = ({ verdict, breaches }: CapacityStep): boolean =>
  verdict === 'kept' || verdict === 'broken' || (verdict === 'undecided' && breaches.length > 0);

/** Requests in flight grow by what the server cannot end: 1 − capacity / rate of the arrivals, and not below it. */
const ofFlow = ({ rate, growth, spread, verdict }: CapacityStep): Deviance => {
  const own = (growth.high - growth.low) / (2 * z95);
  const counted = verdict === 'broken' ? Math.max(own, spread) : own;
  const error = allowance * Math.max(leastSpread, counted);
  const { value } = growth;
  const free = value < 0 ? value ** 2 : 0;
  return (capacity) => ((Math.max(0, 1 - capacity / rate) - value) ** 2 - free) / error ** 2;
};

type Miss = NonNullable<NonNullable<CapacityStep['misses']>[number]>;

/** What a step tells of the share of arrivals that miss an objective; `cases`: of as many independent arrivals. */
interface SeenMiss extends Miss {
  readonly rate: number;
}

const term = (seen: number, expected: number): number =>
  seen === 0 ? 0 : seen * Math.log(seen / expected);

/** Twice the logarithm of how much less likely a share is, if another one is expected (the deviance of the binomial). */
const devianceOf = (seen: number, expected: number, cases: number): number =>
  2 * cases * (term(seen, expected) + term(1 - seen, 1 - expected));

/** Whatever the shape of its growth, the share that misses is at most what is allowed up to the highest rate, and at least that beyond. */
const ofSide = ({ rate, share, allowed, cases }: SeenMiss): Deviance => {
  const deviance = devianceOf(share, allowed, cases);
  return (capacity) => (rate <= capacity === share <= allowed ? 0 : deviance);
};

/** How steeply the odds of a miss grow with the rate near the border, as a power of it. */
const steepness = [1, 2, 4, 8, 16, 32, 64] as const;

/** Odds that are so many times more or less than what is allowed are only known to be at least that far. */
const farOdds = 16;

const oddsOf = (share: number): number => share / (1 - share);
const shareOfOdds = (odds: number): number => odds / (1 + odds);
const withinFar = (odds: number, border: number): number =>
  Math.max(border / farOdds, Math.min(border * farOdds, odds));

/** Near the border, the odds of a miss grow with a power of the rate. */
const ofSlope = ({ rate, share, allowed, cases }: SeenMiss, power: number): Deviance => {
  const border = oddsOf(allowed);
  const seen = shareOfOdds(withinFar(share === 1 ? Infinity : oddsOf(share), border));
  return (capacity) => {
    const odds = border * (rate / capacity) ** power;
    return devianceOf(seen, shareOfOdds(withinFar(odds, border)), cases);
  };
};

const normal = (z: number): number => (z < 0 ? beyondNormal(z) / 2 : 1 - beyondNormal(z) / 2);

/** Relative width of the border between kept and broken, and the probability of a wrong verdict. */
const border = {
  sure: { width: 0.01, error: 0.02 },
  unsure: { width: 0.02, error: 0.1 },
} as const;

/** Of objectives that are no share of the arrivals, only the verdict counts. */
const ofVerdict = ({ rate, verdict, sure }: CapacityStep): Deviance => {
  const { width, error } = sure ? border.sure : border.unsure;
  const slope = (verdict === 'broken' ? -1 : 1) / width;
  return (capacity) =>
    -2 * Math.log(error + (1 - 2 * error) * normal(slope * Math.log(capacity / rate)));
};

/** One way in which a condition can depend on the rate, and what each step says of it then. */
type Model = readonly Deviance[];

/** A step that misleads may be far off: no deviance counts more than this in the disagreement. */
const mostDeviance = 9;

/**
 * How much more the steps differ than by their own errors, at least 1, by the model and the rate that suit them best.
 * All deviances are divided by it.
 */
const disagreementOf = (deviances: readonly (readonly Float64Array[])[]): number => {
  const count = deviances[0]?.length ?? 0;
  if (count < 3) return 1;
  let least = Infinity;
  for (const model of deviances) {
    for (let i = 0; i < model[0]!.length; i += 1) {
      let total = 0;
      for (const step of model) total += Math.min(mostDeviance, step[i]!);
      least = Math.min(least, total);
    }
  }
  return Math.max(1, least / (count - 1));
};

/** The probability that a condition holds beyond each rate. */
const survivalOf = (models: readonly Model[], rates: readonly number[]): readonly number[] => {
  const deviances = models.map((model) =>
    model.map((deviance) => Float64Array.from(rates, deviance)),
  );
  const disagreement = disagreementOf(deviances);
  const logs = deviances.map((model) =>
    rates.map((_, i) => {
      let sum = 0;
      for (const step of model) {
        sum += Math.log(misleadingChance + Math.exp(-step[i]! / 2 / disagreement));
      }
      return sum;
    }),
  );
  let most = -Infinity;
  for (const model of logs) for (const log of model) most = Math.max(most, log);
  const weights = rates.map((_, i) =>
    logs.reduce((sum, model) => sum + Math.exp(model[i]! - most), 0),
  );
  const whole = weights.reduce((a, b) => a + b, 0);
  let below = 0;
  return weights.map((weight) => 1 - (below += weight) / whole);
};

/**
 * Up to these distances of the logarithms, steps are near the border and have the same dependence, and the highest rate
 * is near the one by sides alone.
 */
const nearness = { border: 0.1, dependence: 0.03, centre: 0.4 } as const;

const isNear = (one: number, other: number, distance: number): boolean =>
  Math.abs(Math.log(one / other)) < distance;

/**
 * The factor by which the arrivals of steps near each other show less than independent ones: the mean of what each step
 * shows within itself, or what their shares differ by, if that is more. Jams that last as long as a step are only seen
 * between steps.
 */
const dependenceOf = (steps: readonly SeenMiss[]): number => {
  const arrivals = steps.reduce((sum, step) => sum + step.arrivals, 0);
  const within = steps.reduce((sum, step) => sum + step.arrivals ** 2 / step.cases, 0) / arrivals;
  return Math.max(
    within,
    designEffect(steps.map((step) => ({ events: step.share * step.arrivals, of: step.arrivals }))),
  );
};

/** Gives each step the dependence of all steps near it: one that met no jam cannot show how long jams last. */
const withSharedDependence = (seen: readonly SeenMiss[]): readonly SeenMiss[] =>
  seen.map((miss) => {
    const near = seen.filter(({ rate }) => isNear(rate, miss.rate, nearness.dependence));
    return { ...miss, cases: miss.arrivals / dependenceOf(near) };
  });

/** The fewest steps near the border that show how the share which misses grows. */
const leastNear = 3;

const medianRate = (survival: readonly number[], rates: readonly number[]): number => {
  const at = survival.findIndex((probability) => probability <= 0.5);
  return rates[at < 0 ? rates.length - 1 : at]!;
};

/** The belief by one objective: first by the sides on which steps are, then by the slope of those near the border. */
const survivalOfMisses = (
  evidence: readonly CapacityStep[],
  objective: number,
  rates: readonly number[],
): readonly number[] => {
  const seen = withSharedDependence(
    evidence.flatMap(({ rate, misses }) => {
      const miss = misses?.[objective];
      return miss === undefined || miss === null ? [] : [{ ...miss, rate }];
    }),
  );
  const bySide = survivalOf([seen.map(ofSide)], rates);
  const centre = medianRate(bySide, rates);
  const near = seen.filter(({ rate }) => isNear(rate, centre, nearness.border));
  if (near.length < leastNear) return bySide;
  const around = rates.filter((rate) => isNear(rate, centre, nearness.centre));
  const first = rates.indexOf(around[0]!);
  const bySlope = survivalOf(
    steepness.map((power) =>
      seen.map((miss) => (near.includes(miss) ? ofSlope(miss, power) : ofSide(miss))),
    ),
    around,
  );
  return rates.map((_, i) => (i < first ? 1 : (bySlope[i - first] ?? 0)));
};

/** The median of the belief about the highest rate that meets all conditions, with its 90 % credible interval. */
export const believedRate = (
  steps: readonly CapacityStep[],
  { start, top }: Pick<CapacityTerms, 'start' | 'top'>,
  forLatency: boolean,
): EstimatedRange => {
  const evidence = steps.filter(isEvidence);
  const broken = evidence.filter(({ verdict }) => verdict === 'broken');
  // Nothing is believed far from the rates that were tried.
  const from = Math.log(Math.min(start, ...evidence.map(({ rate }) => rate)) / reach.below);
  const tried = Math.max(...broken.map(({ rate }) => rate)) * reach.above;
  const to = Math.log(broken.length === 0 ? top : Math.min(1.5 * top, tried));
  const count = Math.ceil((to - from) / grain);
  const rates = Array.from({ length: count }, (_, i) => Math.exp(from + i * grain));
  const objectives = Math.max(0, ...evidence.map(({ misses }) => misses?.length ?? 0));
  const untold = evidence.filter(({ misses }) => misses === undefined || misses.includes(null));
  const survivals = [
    survivalOf([evidence.map(ofFlow)], rates),
    ...Array.from({ length: objectives }, (_, i) => survivalOfMisses(evidence, i, rates)),
    ...(forLatency && untold.length > 0 ? [survivalOf([untold.map(ofVerdict)], rates)] : []),
  ];
  const quantile = (probability: number): number => {
    const at = rates.findIndex(
      (_, i) => survivals.reduce((all, each) => all * each[i]!, 1) <= 1 - probability,
    );
    return rates[at < 0 ? rates.length - 1 : at]!;
  };
  return { value: quantile(0.5), low: quantile(0.05), high: quantile(0.95) };
};
