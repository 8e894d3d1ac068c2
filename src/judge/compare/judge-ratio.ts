import {
  comparisonRules,
  type ComparedEffect,
  type ComparisonVerdict,
} from '../../model/series/comparison.ts';
import { criticalT } from '../statistics/student-t.ts';
import { type Contrast, halfWidth, meanOf, varianceOf, welch } from '../statistics/significance.ts';

export const maxRepetitions = 1000;

/** The fewest repetitions per side that are enough; `null` above `maxRepetitions`. */
export const fewestRepetitions = (isEnough: (count: number) => boolean): number | null => {
  for (let count = comparisonRules.repetitions; count <= maxRepetitions; count += 1)
    if (isEnough(count)) return count;
  return null;
};

/**
 * The repetitions per side that would decide, with the observed noise and difference: the confidence
 * interval of `difference` is within ±`least`, or, beyond it, p is below `alpha`. Half the width of the
 * interval is t √(2 / n) standard deviations of one repetition, t with 2 n − 2 degrees of freedom.
 * `null` above `maxRepetitions`.
 */
export const repetitionsNeeded = (seen: {
  readonly difference: number;
  readonly deviation: number;
  readonly least: number;
  readonly alpha: number;
}): number | null => {
  const { difference, deviation, least, alpha } = seen;
  const isBeyond = Math.abs(difference) > least;
  const margin = isBeyond ? Math.abs(difference) : least - Math.abs(difference);
  const level = isBeyond ? alpha : comparisonRules.alpha;
  return fewestRepetitions(
    (count) => criticalT(level, 2 * count - 2) * deviation * Math.sqrt(2 / count) < margin,
  );
};

const { alpha, repetitions, indicativeRatio, assumedNoise, power } = comparisonRules;

export interface JudgedMetric {
  readonly effect: ComparedEffect;
  readonly verdict: ComparisonVerdict;
  readonly needed: number | null;
}

/** A latency or rate, judged by the logarithm of its values. */
export interface RatioMetric {
  readonly base: readonly number[];
  readonly next: readonly number[];
  /** Whether a ratio above 1 is worse. */
  readonly lowerIsBetter: boolean;
  /** The minimum effect as a ratio above 1. */
  readonly least: number;
}

/** Values are from histograms of three digits: the variance of a logarithm rounded to a thousandth is 0.001² / 12 (W. F. Sheppard 1898). */
export const resolution = 0.001 ** 2 / 12;

/** The contrast of the logarithms; `null` if a side is a single run. */
export const contrastOf = ({ base, next }: RatioMetric): Contrast | null =>
  base.length < 2 || next.length < 2
    ? null
    : welch(base.map(Math.log), next.map(Math.log), resolution);

/** The standard deviation of one repetition, from both sides. */
const deviationOf = ({ base, next }: RatioMetric): number => {
  const sides = [base, next].filter((values) => values.length > 1);
  if (sides.length === 0) return assumedNoise;
  const squares = sides.map((values) => varianceOf(values.map(Math.log)) * (values.length - 1));
  const freedom = sides.reduce((sum, values) => sum + values.length - 1, 0);
  return Math.sqrt(Math.max(resolution, squares.reduce((a, b) => a + b, 0) / freedom));
};

/**
 * The smallest effect that is significant with probability `power`: (t₁₋α/₂ + t_power) standard errors.
 * S. A. Julious, Sample Sizes for Clinical Trials (2010), chapter 3.
 */
export const detectableEffect = (
  contrast: Pick<Contrast, 'error' | 'freedom'>,
  level: number,
): number =>
  (criticalT(level, contrast.freedom) + criticalT(2 * (1 - power), contrast.freedom)) *
  contrast.error;

const isWorse = (metric: RatioMetric, change: number): boolean =>
  metric.lowerIsBetter ? change > 0 : change < 0;

const verdictOf = (
  metric: RatioMetric,
  change: number,
  significance: { readonly half: number; readonly p: number } | null,
): ComparisonVerdict => {
  const least = Math.log(metric.least);
  const count = Math.min(metric.base.length, metric.next.length);
  if (metric.base.length === 1 && metric.next.length === 1) {
    const beyond = Math.abs(change) > Math.max(least, Math.log(indicativeRatio));
    return beyond && isWorse(metric, change) ? 'regression' : 'inconclusive';
  }
  if (count < repetitions || significance === null) return 'inconclusive';
  if (significance.p < alpha && Math.abs(change) > least) {
    return isWorse(metric, change) ? 'regression' : 'improvement';
  }
  return Math.abs(change) + significance.half < least ? 'same' : 'inconclusive';
};

/**
 * The verdict on a metric with at least one value per side. `adjustedP` is the contrast's p-value after
 * Holm (`null`: not gated, unadjusted), `tests` the number of gated metrics.
 */
export const judgeRatio = (
  metric: RatioMetric,
  adjustedP: number | null,
  tests: number,
): JudgedMetric => {
  const contrast = contrastOf(metric);
  const change = meanOf(metric.next.map(Math.log)) - meanOf(metric.base.map(Math.log));
  const half = contrast === null ? null : halfWidth(contrast, alpha);
  const p = contrast?.p ?? null;
  const significance = half === null || p === null ? null : { half, p: adjustedP ?? p };
  const verdict = verdictOf(metric, change, significance);
  const level = alpha / Math.max(1, tests);
  const least = Math.log(metric.least);
  return {
    effect: {
      change: Math.exp(change),
      low: half === null ? null : Math.exp(change - half),
      high: half === null ? null : Math.exp(change + half),
      p,
      adjustedP,
      least: metric.least,
      detectable:
        contrast === null ? null : Math.exp(Math.max(least, detectableEffect(contrast, level))),
    },
    verdict,
    needed:
      verdict === 'inconclusive'
        ? repetitionsNeeded({
            difference: change,
            deviation: deviationOf(metric),
            least,
            alpha: level,
          })
        : null,
  };
};
