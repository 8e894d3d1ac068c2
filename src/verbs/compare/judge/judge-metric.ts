import { shareOf, sumOfShares } from '../../../model/measures/share.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Both } from '../../../judge/series/traffic-streams.ts';
import { comparisonRules, type ComparedMetric } from '../../../model/series/compared-metric.ts';
import { beyondT, criticalNormal, criticalT } from '../../../judge/statistics/student-t.ts';
import {
  type Contrast,
  driftOf,
  effectiveShare,
  geometricMean,
  halfWidth,
  meanOf,
  newcombe,
  newcombeP,
  varianceOf,
  welch,
  withoutDrift,
} from '../../../judge/statistics/significance.ts';
import type {
  MetricCandidate,
  RatioCandidate,
  ShareCandidate,
} from '../../../judge/series/metric-candidates.ts';

const { alpha, repetitions, assumedNoise, power, rateEffect } = comparisonRules;

const maxRepetitions = 1000;

/** The fewest repetitions per side that are enough, if more are, too; `null` above `maxRepetitions`. */
export const fewestRepetitions = (isEnough: (count: number) => boolean): number | null => {
  let [low, high] = [repetitions, maxRepetitions + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (!isEnough(middle)) low = middle + 1;
    else high = middle;
  }
  return low > maxRepetitions ? null : low;
};

/**
 * The repetitions per side that would decide, with the observed noise and difference: the 90 % interval
 * of `difference` is within ±`least`, or, beyond it, p is below `alpha`. Half the width of the
 * interval is t √(2 / n) standard deviations of one repetition, t with 2 n − 2 degrees of freedom.
 * `null` above `maxRepetitions`.
 */
export const repetitionsNeeded = (seen: {
  readonly difference: number;
  readonly deviation: number;
  readonly least: number;
  readonly alpha: number;
}): number | null => {
  const { difference, deviation, least } = seen;
  const isBeyond = Math.abs(difference) > least;
  const margin = isBeyond ? Math.abs(difference) : least - Math.abs(difference);
  const level = isBeyond ? seen.alpha : 2 * alpha;
  return fewestRepetitions(
    (count) => criticalT(level, 2 * count - 2) * deviation * Math.sqrt(2 / count) < margin,
  );
};

/** Values are from histograms of three digits: the variance of a logarithm rounded to a thousandth is 0.001² / 12 (W. F. Sheppard 1898). */
export const resolution = 0.001 ** 2 / 12;

/**
 * The smallest effect that is significant with probability `power`: (t₁₋α/₂ + t_power) standard errors.
 * S. A. Julious, Sample Sizes for Clinical Trials (2010), chapter 3.
 */
export const detectableEffect = (
  { error, freedom }: Pick<Contrast, 'error' | 'freedom'>,
  level: number,
): number => (criticalT(level, freedom) + criticalT(2 * (1 - power), freedom)) * error;

/** The change of a metric from base to new, on the scale on which its noise is symmetric. */
interface Difference {
  readonly change: number;
  /** The 95 % confidence interval and the p-value; `null` if a side is a single run. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly p: number | null;
  /**
   * The 90 % interval. If the minimum effect encloses it, two one-sided tests at 5 % find the sides equivalent (D. J.
   * Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
   */
  readonly inner: Difference['interval'];
  /** The minimum effect, also as reported. */
  readonly least: number;
  readonly reportedLeast: number;
  readonly lowerIsBetter: boolean;
  /** The suspected drift from run to run, and the change that remains without it. */
  readonly drift: number | null;
  readonly remaining: number;
  /** The smallest change that is detected at a level, and the repetitions that would decide. */
  readonly detectableAt: (level: number) => number | null;
  readonly neededAt: (level: number) => number | null;
  readonly toReported: (value: number) => number;
}

/** The standard deviation of one repetition, from both sides. */
const deviationOf = (sides: readonly (readonly number[])[]): number => {
  const repeated = sides.filter((logs) => logs.length > 1);
  if (repeated.length === 0) return assumedNoise;
  const squares = repeated.reduce((sum, logs) => sum + varianceOf(logs) * (logs.length - 1), 0);
  const freedom = repeated.reduce((sum, logs) => sum + logs.length - 1, 0);
  return Math.sqrt(Math.max(resolution, squares / freedom));
};

/** The positions of runs in the order of their start, where all of one side came before all of the other. */
export type Positions = Both<readonly number[]>;

/**
 * Returns the drift of runs that did not alternate, if it goes the way of the change, and the contrast without it. Its
 * own significance does not matter: a test at any usual level misses most drifts that are large enough to look like a
 * change.
 */
const suspectedDrift = (
  sides: readonly [readonly number[], readonly number[]],
  { base, next }: Positions,
  change: number,
): { readonly slope: number; readonly remaining: Contrast } | null => {
  const drift = driftOf(sides, [base, next], resolution);
  if (drift === null || drift.slope * change <= 0) return null;
  return { slope: drift.slope, remaining: withoutDrift(sides, [base, next], drift) };
};

/** A latency or rate, by the logarithms of its values. */
const ratioDifference = (
  { base, next, labels, effect, floor, error }: RatioCandidate,
  positions: Positions | null,
): Difference => {
  const [before, after] = [base.map(Math.log), next.map(Math.log)];
  const change = meanOf(after) - meanOf(before);
  const isRepeated = base.length > 1 && next.length > 1;
  const contrast = isRepeated ? welch(before, after, resolution) : null;
  const drift = positions && suspectedDrift([before, after], positions, change);
  const around = (level: number): Difference['interval'] => {
    if (contrast === null) return null;
    const half = halfWidth(contrast, level);
    return { low: change - half, high: change + half };
  };
  const reportedLeast = 1 + Math.max(effect, floor / geometricMean(base)) + error;
  const least = Math.log(reportedLeast);
  const deviation = deviationOf([before, after]);
  return {
    change,
    interval: around(alpha),
    inner: around(2 * alpha),
    p: contrast && Math.max(contrast.p, drift?.remaining.p ?? 0),
    least,
    reportedLeast,
    lowerIsBetter: labels.better !== 'higher',
    drift: drift?.slope ?? null,
    remaining: drift?.remaining.difference ?? change,
    detectableAt: (level) => (contrast === null ? null : detectableEffect(contrast, level)),
    neededAt: (level) => repetitionsNeeded({ difference: change, deviation, least, alpha: level }),
    toReported: Math.exp,
  };
};

/** A share of failed arrivals; more is worse. */
const shareDifference = ({ base, next }: ShareCandidate): Difference => {
  const [one, other] = [effectiveShare(base), effectiveShare(next)];
  const [before, after] = [shareOf(sumOfShares(base)), shareOf(sumOfShares(next))];
  const change = after - before;
  const freedom = base.length + next.length - 2;
  const isRepeated = freedom > 0;
  // The design effects are estimates from so few repetitions. Single runs have none.
  const critical = (level: number, degrees = freedom): number =>
    degrees > 0 ? criticalT(level, degrees) : criticalNormal(level);
  const interval = newcombe(one, other, critical(alpha));
  const half = (interval.high - interval.low) / 2;
  const isBeyond = Math.abs(change) > rateEffect;
  const room = isBeyond ? Math.abs(change) : rateEffect - Math.abs(change);
  return {
    change,
    interval: isRepeated ? interval : null,
    inner: isRepeated ? newcombe(one, other, critical(2 * alpha)) : null,
    p: isRepeated ? newcombeP(one, other, (t) => beyondT(t, freedom)) : null,
    least: rateEffect,
    reportedLeast: rateEffect,
    lowerIsBetter: true,
    drift: null,
    remaining: change,
    detectableAt: (level) =>
      isRepeated ? ((critical(level) + critical(2 * (1 - power))) / critical(alpha)) * half : null,
    // The interval shrinks with the root of the number of repetitions, and as Student's t does.
    neededAt: (level) => {
      const error = (half / critical(alpha)) * Math.sqrt(Math.min(base.length, next.length));
      const wanted = isBeyond ? level : 2 * alpha;
      return fewestRepetitions(
        (count) => critical(wanted, 2 * count - 2) * (error / Math.sqrt(count)) <= room,
      );
    },
    toReported: (share) => share,
  };
};

/** `null` if a side has no value. */
export const differenceOf = (
  candidate: MetricCandidate,
  positions: Positions | null,
): Difference | null => {
  const { base, next, scale } = candidate;
  if (base.length === 0 || next.length === 0) return null;
  if (scale === 'difference') return shareDifference(candidate);
  // Runs without a value shift the positions of the others, which does not matter to whether there is a drift.
  const own = positions && {
    base: positions.base.slice(0, base.length),
    next: positions.next.slice(0, next.length),
  };
  return ratioDifference(candidate, own);
};

type Judgement = Pick<ComparedMetric, 'effect' | 'verdict' | 'needed'>;

/**
 * Whether the interval within a single new run is worse than that of a single base run by more than the minimum effect.
 * Without both intervals it is not.
 */
const isFarWorse = (
  { scale, intervalWithin }: MetricCandidate,
  { reportedLeast, lowerIsBetter }: Difference,
  { base, next }: Both<Result>,
): boolean => {
  const [before, after] = [intervalWithin(base), intervalWithin(next)];
  // The end of each interval that faces the other one.
  const [from, to] = lowerIsBetter ? [before?.high, after?.low] : [after?.high, before?.low];
  if (typeof from !== 'number' || typeof to !== 'number') return false;
  return scale === 'ratio' ? to > from * reportedLeast : to - from > reportedLeast;
};

const verdictOf = (
  { change, remaining, inner, least, lowerIsBetter }: Difference,
  p: number | null,
): Judgement['verdict'] => {
  if (inner === null) return 'inconclusive';
  const isWorse = lowerIsBetter ? change > 0 : change < 0;
  // Both have to go the same way: without a suspected drift they are the same.
  const size = Math.min(Math.abs(change), remaining * Math.sign(change));
  const isSure = (p === null || p < alpha) && size > least;
  if (isSure) return isWorse ? 'regression' : 'improvement';
  return inner.low > -least && inner.high < least ? 'same' : 'inconclusive';
};

/** What the verdict on a metric depends on besides its own values. */
interface Surroundings {
  /** The p-value after Holm; `null` if the metric is not gated, so that its own counts. */
  readonly adjustedP: number | null;
  /** The number of gated metrics. */
  readonly tests: number;
  readonly results: Both<readonly Result[]>;
}

const verdictByRuns = (
  candidate: MetricCandidate,
  difference: Difference,
  { adjustedP, results: { base, next } }: Surroundings,
): Judgement['verdict'] => {
  if (base.length === 1 && next.length === 1) {
    const isWorse = isFarWorse(candidate, difference, { base: base[0]!, next: next[0]! });
    return isWorse ? 'regression' : 'inconclusive';
  }
  const fewest = Math.min(candidate.base.length, candidate.next.length);
  return fewest < repetitions ? 'inconclusive' : verdictOf(difference, adjustedP ?? difference.p);
};

export const judgeMetric = (
  candidate: MetricCandidate,
  difference: Difference | null,
  surroundings: Surroundings,
): Judgement => {
  if (difference === null) return { effect: null, verdict: 'inconclusive', needed: null };
  const { adjustedP, tests } = surroundings;
  const { change, interval, p, least, reportedLeast, drift, toReported } = difference;
  const verdict = verdictByRuns(candidate, difference, surroundings);
  const level = alpha / Math.max(1, tests);
  const detectable = difference.detectableAt(level);
  return {
    effect: {
      change: toReported(change),
      low: interval && toReported(interval.low),
      high: interval && toReported(interval.high),
      p,
      adjustedP,
      least: reportedLeast,
      drift:
        verdict === 'inconclusive' && drift !== null && Math.abs(change) > least
          ? toReported(drift)
          : null,
      detectable: detectable === null ? null : toReported(Math.max(least, detectable)),
    },
    verdict,
    needed: verdict === 'inconclusive' ? difference.neededAt(level) : null,
  };
};
