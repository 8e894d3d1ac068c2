import { z95 } from '../../../model/measures/dependence.ts';
import type { CapacityStep, CapacityTerms, EstimatedRange } from '../model/capacity.ts';
import { beyondNormal, criticalT } from '../../../judge/statistics/student-t.ts';
import { allowance, leastSpread, mostSeen } from './seen-throughput.ts';

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

/** The deviance of a step, twice the lost logarithm of the likelihood, if the condition holds up to `rate`. */
type Deviance = (rate: number) => number;

/** A step that tells something about the rate: kept, broken, or undecided for another reason than too few samples. */
export const isEvidence = ({ verdict, breaches }: CapacityStep): boolean =>
  verdict === 'kept' || verdict === 'broken' || (verdict === 'undecided' && breaches.length > 0);

/** A step with an objective that its error of measurement leaves open: it says only between what shares the true one is. */
export const isWithinError = ({ verdict, breaches }: CapacityStep): boolean =>
  verdict === 'undecided' && breaches.some(({ bound }) => bound !== 'concurrency');

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

/** The share within its error of measurement that is nearest to an expected one. */
const nearestShare = (
  { share, error = { low: share, high: share } }: SeenMiss,
  expected: number,
): number => Math.max(error.low, Math.min(error.high, expected));

/** Whatever the shape of its growth, the share that misses is at most what is allowed up to the highest rate, and at least that beyond. */
const ofSide = (miss: SeenMiss): Deviance => {
  const { rate, allowed, cases } = miss;
  const share = nearestShare(miss, allowed);
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

/** The probability that a condition holds beyond each rate; `chances` says how likely each model was before the steps. */
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
 * Up to these distances of the logarithms, steps are near the border and have the same dependence, and the highest rate
 * is near the one by sides alone.
 */
const largestDistances = { border: 0.12, dependence: 0.03, centre: 0.4 } as const;

const isNear = (one: number, other: number, distance: number): boolean =>
  Math.abs(Math.log(one / other)) < distance;

/** How much more the shares of steps with neighbouring rates differ than those of independent arrivals; it has no trend. */
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

/** The fewest steps near the border that show how the share which misses grows. */
const leastNear = 3;

/** Few steps tell little of what they differ by: errors count as many times as large as Student’s t is beyond the normal. */
const fewStepsFactor = (count: number): number =>
  count < leastNear ? 1 : (criticalT(0.05, count - 1) / z95) ** 2;

/**
 * The factor by which the arrivals of steps near each other show less than independent ones: the mean of what each step
 * shows within itself, or what their shares differ by, if that is more. Jams that last as long as a step are only seen
 * between steps. What a step shows within itself is already wider for the few blocks that it has.
 */
const dependenceOf = (steps: readonly SeenMiss[]): number => {
  const arrivals = steps.reduce((sum, step) => sum + step.arrivals, 0);
  const within = steps.reduce((sum, step) => sum + step.arrivals ** 2 / step.cases, 0) / arrivals;
  return Math.max(within, fewStepsFactor(steps.length) * dependenceBetween(steps));
};

/** Counts the arrivals of steps as so many independent ones as all steps near them show. */
const withSharedDependence = (
  seen: readonly SeenMiss[],
  nearTo: (miss: SeenMiss) => readonly SeenMiss[],
): readonly SeenMiss[] =>
  seen.map((miss) => ({ ...miss, cases: miss.arrivals / dependenceOf(nearTo(miss)) }));

const isMissed = ({ share, allowed }: SeenMiss): boolean => share > allowed;

/** The geometric mean of the rates of steps, weighted by their arrivals. */
const meanRateOf = (seen: readonly SeenMiss[]): number =>
  Math.exp(
    seen.reduce((sum, { rate, arrivals }) => sum + arrivals * Math.log(rate), 0) /
      seen.reduce((sum, { arrivals }) => sum + arrivals, 0),
  );

/** The rate between two steps for which the fewest arrivals are of steps on the wrong side: missing too often below it, or not above it. */
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

/** The middle of the rates that are likeliest by sides. Their median would be far below, where many rates are a little likely. */
const likeliestRate = (survival: readonly number[], rates: readonly number[]): number => {
  const chances = survival.map((probability, i) => (survival[i - 1] ?? 1) - probability);
  const most = Math.max(...chances);
  const best = rates.filter((_, i) => chances[i]! >= most * 0.99);
  return best[Math.floor(best.length / 2)]!;
};

/**
 * Returns the rate near which the slope is looked for; `null` if too few steps are near it. It is the likeliest rate by
 * sides. Where jams last as long as steps, many rates are as likely as that one. Then it is the rate above which most
 * steps miss the objective, or the mean rate of the steps if some near it miss the objective and some do not.
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

/** The belief by one objective: first by the sides on which steps are, then by the slope of those near the border. */
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
  // A step that met no jam would weigh more than one that met some, if each had its own dependence. That of steps far
  // beyond the border is of no other.
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
    // The border is as likely at any odds, not at any rate: else a flat curve, which suits more rates, would seem likelier.
    steepness,
  );
  return rates.map((_, i) => (i < first ? 1 : (bySlope[i - first] ?? 0)));
};

/**
 * The median of the belief about the highest rate that meets all conditions, with its 90 % credible interval. A step that is
 * kept says “at least this much”, which moves belief up, so that what full steps completed bounds both.
 */
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
  // One that no step missed is not what bounds the rate, where something else broke.
  const bounding = Array.from({ length: objectives }, (_, i) => i).filter(
    (i) =>
      broken.length === 0 ||
      evidence.some(({ misses }) => (misses?.[i]?.share ?? 0) > (misses?.[i]?.allowed ?? 1)),
  );
  const untold = evidence.filter(
    (step) => !isWithinError(step) && (step.misses === undefined || step.misses.includes(null)),
  );
  const survivals = [
    survivalOf([evidence.map(ofFlow)], rates),
    ...bounding.map((i) => survivalOfMisses(evidence, i, rates)),
    ...(forLatency && untold.length > 0 ? [survivalOf([untold.map(ofVerdict)], rates)] : []),
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
