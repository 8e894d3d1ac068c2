import { z95 } from '../../../model/measures/dependence.ts';
import type { CapacityStep, CapacityTerms, EstimatedRange } from '../model/capacity.ts';
import { beyondNormal, criticalT } from '../../../judge/statistics/student-t.ts';
import { allowance, leastSpread, mostSeen } from './seen-throughput.ts';

/**
 * This file computes what the steps of a search tell about the highest rate that the server bears. For each condition
 * (a steady flow, each objective) there is a distribution of the logarithm of the highest rate at which the condition
 * holds. The distribution begins uniform, and each step multiplies it by a likelihood. The method is that of QUEST
 * (Watson & Pelli, Perception & Psychophysics 33, 1983). All conditions hold up to the lowest of these rates.
 */

/** Neighbouring rates of the grid differ by this share. */
const grain = 0.0025;

/** The grid reaches from the lowest tried rate / `below` to the highest rate of a broken step × `above`. */
const reach = { below: 64, above: 2 } as const;

/** The probability that a disturbance decided the result of a step, so that the step says nothing about the rate. */
const misleadingChance = 0.001;

/**
 * The deviance of a step: −2 times the logarithm of the likelihood that the step has its result if `rate` is the
 * highest rate at which the condition holds.
 */
type Deviance = (rate: number) => number;

/**
 * Returns whether a step is evidence about the highest rate: the step is `kept`, `broken`, or `undecided` with
 * enough samples.
 */
export const isEvidence = ({ verdict, breaches }: CapacityStep): boolean =>
  verdict === 'kept' || verdict === 'broken' || (verdict === 'undecided' && breaches.length > 0);

/**
 * Returns whether an objective of this step is undecided because of the error of measurement. Such a step gives only
 * bounds for the true share of misses.
 */
export const isWithinError = ({ verdict, breaches }: CapacityStep): boolean =>
  verdict === 'undecided' && breaches.some(({ bound }) => bound !== 'concurrency');

/**
 * Returns a step's deviance, computed from `growth`: the growth of the requests in flight, as a share of the step's
 * arrivals. Requests in flight grow by the arrivals that the server cannot complete. So the expected growth is
 * 1 − capacity / rate, or 0 if the rate is below the capacity.
 */
const ofFlow = ({ rate, growth, spread, verdict }: CapacityStep): Deviance => {
  const own = (growth.high - growth.low) / (2 * z95);
  const counted = verdict === 'broken' ? Math.max(own, spread) : own;
  const error = allowance * Math.max(leastSpread, counted);
  const { value } = growth;
  const free = value < 0 ? value ** 2 : 0;
  return (capacity) => ((Math.max(0, 1 - capacity / rate) - value) ** 2 - free) / error ** 2;
};

type Miss = NonNullable<NonNullable<CapacityStep['misses']>[number]>;

/**
 * The share of a step's arrivals that miss an objective. The arrivals depend on each other, so this share is only as
 * accurate as the share of `cases` independent arrivals.
 */
interface SeenMiss extends Miss {
  readonly rate: number;
}

const term = (seen: number, expected: number): number =>
  seen === 0 ? 0 : seen * Math.log(seen / expected);

/**
 * Returns the deviance of a binomial share: −2 times the logarithm of the likelihood of the seen share, relative to the
 * highest likelihood.
 */
const devianceOf = (seen: number, expected: number, cases: number): number =>
  2 * cases * (term(seen, expected) + term(1 - seen, 1 - expected));

/** Returns, of the shares within the error of measurement, the one that is nearest to the expected share. */
const nearestShare = (
  { share, error = { low: share, high: share } }: SeenMiss,
  expected: number,
): number => Math.max(error.low, Math.min(error.high, expected));

/**
 * Returns a step's deviance, computed only from whether its rate lies below or above the highest rate. No curve is
 * assumed: the share of misses is at most the allowed share up to the highest rate, and at least this share above it.
 */
const ofSide = (miss: SeenMiss): Deviance => {
  const { rate, allowed, cases } = miss;
  const share = nearestShare(miss, allowed);
  const deviance = devianceOf(share, allowed, cases);
  return (capacity) => (rate <= capacity === share <= allowed ? 0 : deviance);
};

/**
 * The powers that are tried. Near the border (the highest rate that meets the objective), the odds of a miss are
 * assumed to grow with one of these powers of the rate.
 */
const steepness = [1, 2, 4, 8, 16, 32, 64] as const;

/** The odds of a miss are limited to the range from the allowed odds / `farOdds` to the allowed odds × `farOdds`. */
const farOdds = 16;

const oddsOf = (share: number): number => share / (1 - share);
const shareOfOdds = (odds: number): number => odds / (1 + odds);
const withinFar = (odds: number, border: number): number =>
  Math.max(border / farOdds, Math.min(border * farOdds, odds));

/**
 * Returns a step's deviance, computed from a slope: near the border, the odds of a miss grow with a power of the rate.
 */
const ofSlope = (miss: SeenMiss, power: number): Deviance => {
  const { rate, allowed, cases } = miss;
  const border = oddsOf(allowed);
  const nearShare = (share: number): number =>
    shareOfOdds(withinFar(share === 1 ? Infinity : oddsOf(share), border));
  const { low, high } = miss.error ?? { low: miss.share, high: miss.share };
  const error = { low: nearShare(low), high: nearShare(high) };
  return (capacity) => {
    const expected = shareOfOdds(withinFar(border * (rate / capacity) ** power, border));
    return devianceOf(nearestShare({ ...miss, error }, expected), expected, cases);
  };
};

const normal = (z: number): number => (z < 0 ? beyondNormal(z) / 2 : 1 - beyondNormal(z) / 2);

/**
 * How far a verdict may be wrong. If a step's rate is within about `width` (relative) of the border, the step may be
 * kept or broken. If it is farther away, the verdict is wrong with the probability `error`.
 */
const border = {
  sure: { width: 0.01, error: 0.02 },
  unsure: { width: 0.02, error: 0.1 },
} as const;

/** Returns a step's deviance, computed from its verdict, for objectives that bound no share of the arrivals. */
const ofVerdict = ({ rate, verdict, sure }: CapacityStep): Deviance => {
  const { width, error } = sure ? border.sure : border.unsure;
  const slope = (verdict === 'broken' ? -1 : 1) / width;
  return (capacity) =>
    -2 * Math.log(error + (1 - 2 * error) * normal(slope * Math.log(capacity / rate)));
};

type Model = readonly Deviance[];

/** One step adds at most this much to the disagreement, since a disturbed step may be far off. */
const mostDeviance = 9;

/**
 * Returns the factor, at least 1, by which the steps differ more than their own errors explain. The factor is that of
 * the statistical model and the rate that fit best. The caller divides all deviances by this factor.
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

/**
 * Returns, for each rate, the probability that a condition holds beyond this rate. `chances` holds each statistical
 * model's prior probability, up to a common factor.
 */
const survivalOf = (
  models: readonly Model[],
  rates: readonly number[],
  chances: readonly number[] = models.map(() => 1),
): readonly number[] => {
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
    logs.reduce((sum, model, k) => sum + chances[k]! * Math.exp(model[i]! - most), 0),
  );
  const whole = weights.reduce((a, b) => a + b, 0);
  let below = 0;
  return weights.map((weight) => 1 - (below += weight) / whole);
};

/**
 * The largest distances between logarithms of rates. A step within `border` of a rate is near this rate. The dependence
 * of a step's arrivals is computed from all steps within `dependence` of the step. The highest rate is sought within
 * `centre` of the rate that `slopeRateOf` returns.
 */
const largestDistances = { border: 0.12, dependence: 0.03, centre: 0.4 } as const;

const isNear = (one: number, other: number, distance: number): boolean =>
  Math.abs(Math.log(one / other)) < distance;

/**
 * Returns how much more the share of misses varies between neighbouring steps than with independent arrivals, as a
 * ratio of variances. A trend over the rates changes this ratio little.
 */
const dependenceBetween = (steps: readonly SeenMiss[]): number => {
  const sorted = steps.toSorted((a, b) => a.rate - b.rate);
  const effects = sorted.slice(1).flatMap((step, i) => {
    const other = sorted[i]!;
    const arrivals = step.arrivals + other.arrivals;
    const share = (step.share * step.arrivals + other.share * other.arrivals) / arrivals;
    const variance = share * (1 - share) * (1 / step.arrivals + 1 / other.arrivals);
    return variance === 0 ? [] : [(step.share - other.share) ** 2 / variance];
  });
  return effects.reduce((sum, effect) => sum + effect, 0) / Math.max(1, effects.length);
};

/** Fewer steps near the border than this do not show how the share of misses grows. */
const leastNear = 3;

/**
 * Returns the factor by which differences between few steps are multiplied: (Student's t quantile / normal quantile)².
 */
const fewStepsFactor = (count: number): number =>
  count < leastNear ? 1 : (criticalT(0.05, count - 1) / z95) ** 2;

/**
 * Returns how many arrivals of nearby steps are worth one independent arrival. This is the larger of two factors: the
 * mean factor within single steps, and the factor from the differences between steps, which alone shows a jam as long
 * as a step. Only the second is widened for few steps: the first already allows for a step's few blocks.
 */
const dependenceOf = (steps: readonly SeenMiss[]): number => {
  const arrivals = steps.reduce((sum, step) => sum + step.arrivals, 0);
  const within = steps.reduce((sum, step) => sum + step.arrivals ** 2 / step.cases, 0) / arrivals;
  return Math.max(within, fewStepsFactor(steps.length) * dependenceBetween(steps));
};

/** Sets the independent cases of each step: its arrivals, divided by the dependence of all steps near it. */
const withSharedDependence = (
  seen: readonly SeenMiss[],
  nearTo: (miss: SeenMiss) => readonly SeenMiss[],
): readonly SeenMiss[] =>
  seen.map((miss) => ({ ...miss, cases: miss.arrivals / dependenceOf(nearTo(miss)) }));

const isMissed = ({ share, allowed }: SeenMiss): boolean => share > allowed;

/** Returns the geometric mean of the steps' rates. Each rate is weighted by the step's arrivals. */
const meanRateOf = (seen: readonly SeenMiss[]): number =>
  Math.exp(
    seen.reduce((sum, { rate, arrivals }) => sum + arrivals * Math.log(rate), 0) /
      seen.reduce((sum, { arrivals }) => sum + arrivals, 0),
  );

/**
 * Returns the rate that best divides the steps into those that meet the objective, below the rate, and those that miss
 * it, above the rate. At this rate, the steps on the wrong side have the fewest arrivals in total.
 */
const splitOf = (seen: readonly SeenMiss[]): number => {
  const sorted = seen.toSorted((a, b) => a.rate - b.rate);
  let wrong = 0;
  for (const step of sorted) if (!isMissed(step)) wrong += step.arrivals;
  let [least, found] = [wrong, sorted[0]!.rate];
  for (const [i, step] of sorted.entries()) {
    wrong += isMissed(step) ? step.arrivals : -step.arrivals;
    if (wrong < least) {
      [least, found] = [wrong, Math.sqrt(step.rate * (sorted[i + 1]?.rate ?? step.rate))];
    }
  }
  return found;
};

/**
 * Returns the middle of the likeliest rates. The median of the distribution would be far too low: the many low rates
 * together are likely, although each low rate has only a small probability.
 */
const likeliestRate = (survival: readonly number[], rates: readonly number[]): number => {
  const chances = survival.map((probability, i) => (survival[i - 1] ?? 1) - probability);
  const most = Math.max(...chances);
  const best = rates.filter((_, i) => chances[i]! >= most * 0.99);
  return best[Math.floor(best.length / 2)]!;
};

/**
 * Returns the rate around which to look for the slope; `null` if there is none. This is the first of three rates with
 * enough steps near it. The first is `likeliest`, the likeliest highest rate that meets the objective. The second is
 * the rate that best divides the steps, since many rates are equally likely if jams last as long as steps. The third is
 * the mean rate, if steps near it both miss and meet the objective.
 */
const slopeRateOf = (seenMisses: readonly SeenMiss[], likeliest: number): number | null => {
  const nearTo = (rate: number): readonly SeenMiss[] =>
    seenMisses.filter((miss) => isNear(miss.rate, rate, largestDistances.border));
  const isKnown = (rate: number): boolean => nearTo(rate).length >= leastNear;
  if (seenMisses.length === 0) return null;
  if (isKnown(likeliest)) return likeliest;
  const split = splitOf(seenMisses);
  if (isKnown(split)) return split;
  const middle = meanRateOf(seenMisses);
  const around = nearTo(middle);
  const isMixed = around.some(isMissed) && !around.every(isMissed);
  return isMixed && isKnown(middle) ? middle : null;
};

/**
 * Returns, for each rate, the probability that one objective is met beyond this rate. The first estimate uses only
 * whether each step missed or met the objective, the second the slope of the steps near the border.
 */
const survivalOfMisses = (
  evidence: readonly CapacityStep[],
  objective: number,
  rates: readonly number[],
): readonly number[] => {
  const seenMisses = evidence.flatMap(({ rate, misses }) => {
    const miss = misses?.[objective];
    return miss === undefined || miss === null ? [] : [{ ...miss, rate }];
  });
  const seen = withSharedDependence(seenMisses, (miss) =>
    seenMisses.filter(({ rate }) => isNear(rate, miss.rate, largestDistances.dependence)),
  );
  const bySide = survivalOf([seen.map(ofSide)], rates);
  const centre = slopeRateOf(seenMisses, likeliestRate(bySide, rates));
  if (centre === null) return bySide;
  const isClose = ({ rate }: SeenMiss): boolean => isNear(rate, centre, largestDistances.border);
  const close = seenMisses.filter(isClose);
  // The steps near the border share one dependence. If each step had its own dependence, a step without a jam would
  // have more weight than a step with jams. Steps far beyond the border keep their own dependence, since they differ
  // too much from the other steps.
  const isFarBeyond = ({ share, allowed }: SeenMiss): boolean =>
    share === 1 || oddsOf(share) > farOdds * oddsOf(allowed);
  const comparable = close.filter((miss) => !isFarBeyond(miss));
  const near = [
    ...withSharedDependence(comparable, () => comparable),
    ...seen.filter((miss) => isClose(miss) && isFarBeyond(miss)),
  ];
  const far = seen.filter((miss) => !isClose(miss));
  const around = rates.filter((rate) => isNear(rate, centre, largestDistances.centre));
  const first = rates.indexOf(around[0]!);
  const bySlope = survivalOf(
    steepness.map((power) => [
      ...near.map((miss) => ofSlope(miss, power)),
      ...far.map((miss) => ofSide(miss)),
    ]),
    around,
    // The prior probability of each power in `steepness` is proportional to the power. So all log odds of a miss are
    // equally likely under each power. With equal priors, flat curves would seem likelier: they fit more rates.
    steepness,
  );
  return rates.map((_, i) => (i < first ? 1 : (bySlope[i - first] ?? 0)));
};

/**
 * Returns the median of the distribution of the highest rate that meets all conditions, with a 90 % credible interval.
 * A kept step shows only that the highest rate is not lower, so kept steps move the distribution up. Therefore the
 * throughput of saturated steps (`mostSeen`) bounds the median and the interval from above.
 */
export const believedRate = (
  steps: readonly CapacityStep[],
  { start, top }: Pick<CapacityTerms, 'start' | 'top'>,
  forLatency: boolean,
): EstimatedRange => {
  const evidence = steps.filter(isEvidence);
  const broken = evidence.filter(({ verdict }) => verdict === 'broken');
  // The grid of rates stays near the rates that were tried.
  const from = Math.log(Math.min(start, ...evidence.map(({ rate }) => rate)) / reach.below);
  const tried = Math.max(...broken.map(({ rate }) => rate)) * reach.above;
  const to = Math.log(broken.length === 0 ? top : Math.min(1.5 * top, tried));
  const count = Math.ceil((to - from) / grain);
  const rates = Array.from({ length: count }, (_, i) => Math.exp(from + i * grain));
  const objectives = Math.max(0, ...evidence.map(({ misses }) => misses?.length ?? 0));
  // If any step broke, an objective that every step met does not bound the rate, so this objective is left out.
  const bounding = Array.from({ length: objectives }, (_, i) => i).filter(
    (i) =>
      broken.length === 0 ||
      evidence.some(({ misses }) => (misses?.[i]?.share ?? 0) > (misses?.[i]?.allowed ?? 1)),
  );
  const noShares = evidence.filter(
    (step) => !isWithinError(step) && (step.misses === undefined || step.misses.includes(null)),
  );
  const survivals = [
    survivalOf([evidence.map(ofFlow)], rates),
    ...bounding.map((i) => survivalOfMisses(evidence, i, rates)),
    ...(forLatency && noShares.length > 0 ? [survivalOf([noShares.map(ofVerdict)], rates)] : []),
  ];
  const quantile = (probability: number): number => {
    const at = rates.findIndex(
      (_, i) => survivals.reduce((all, each) => all * each[i]!, 1) <= 1 - probability,
    );
    return rates[at < 0 ? rates.length - 1 : at]!;
  };
  const most = mostSeen(evidence);
  const value = Math.min(quantile(0.5), most?.value ?? Infinity);
  const high = Math.min(quantile(0.95), most?.high ?? Infinity);
  return { value, low: Math.min(quantile(0.05), value), high: Math.max(high, value) };
};
