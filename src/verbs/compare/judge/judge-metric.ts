import { shareOf, sumOfShares } from '../../../model/measures/share.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Both } from '../../../judge/series/traffic-streams.ts';
import { comparisonRules, type ComparedMetric } from '../../../model/series/compared-metric.ts';
import { beyondT, criticalNormal, criticalT } from '../../../judge/statistics/student-t.ts';
import {
  type Contrast,
  effectiveShare,
  geometricMean,
  halfWidth,
  meanOf,
  newcombe,
  varianceOf,
  welch,
} from '../../../judge/statistics/significance.ts';
import { newcombeP } from './tests-of-significance.ts';
import { type Places, type Remaining, remainingChange } from './run-order.ts';
import { isFarWorse } from './single-runs.ts';
import type {
  MetricCandidate,
  RatioCandidate,
  ShareCandidate,
} from '../../../judge/series/metric-candidates.ts';

const { alpha, significance, unevenDrift, repetitions } = comparisonRules;
const { assumedNoise, power, rateEffect } = comparisonRules;

const maxRepetitions = 1000;

/**
 * Returns the smallest number of repetitions per side that is enough. `isEnough` must stay true for larger numbers.
 * Returns `null` if the smallest number is above `maxRepetitions`.
 */
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
 * Returns how many repetitions per side would decide, if the noise and the difference stay as observed; `null` if more
 * than `maxRepetitions` would be needed. Either of two conditions decides: the 90 % interval lies within ±`least`, or
 * the difference is beyond `least` and p is below `alpha`. Half the width of the interval is t √(2 / n) standard
 * deviations of one repetition, where t has 2 n − 2 degrees of freedom. If all runs of one side come before all runs of
 * the other side, removing the drift costs a degree of freedom and adds 6 n / (n² − 1) to 2 / n.
 */
export const repetitionsNeeded = (seen: {
  readonly difference: number;
  readonly deviation: number;
  readonly least: number;
  readonly alpha: number;
  readonly isApart?: boolean;
}): number | null => {
  const { difference, deviation, least, isApart = false } = seen;
  const isBeyond = Math.abs(difference) > least;
  const margin = isBeyond ? Math.abs(difference) : least - Math.abs(difference);
  if (isBeyond && isApart)
    return fewestRepetitions((count) => {
      const critical = criticalT(seen.alpha / unevenDrift, 2 * count - 3);
      return critical * deviation * Math.sqrt(2 / count + (6 * count) / (count ** 2 - 1)) < margin;
    });
  const level = isBeyond ? seen.alpha : 2 * alpha;
  return fewestRepetitions(
    (count) => criticalT(level, 2 * count - 2) * deviation * Math.sqrt(2 / count) < margin,
  );
};

/**
 * The variance from rounding. Histograms have three digits, so a logarithm is rounded to a thousandth. The variance of
 * this rounding is 0.001² / 12 (W. F. Sheppard 1898).
 */
export const resolution = 0.001 ** 2 / 12;

/**
 * Returns the smallest effect that is significant with probability `power`: (t₁₋α/₂ + t_power) standard errors. S. A.
 * Julious, Sample Sizes for Clinical Trials (2010), chapter 3.
 */
export const detectableEffect = (
  { error, freedom }: Pick<Contrast, 'error' | 'freedom'>,
  level: number,
): number => (criticalT(level, freedom) + criticalT(2 * (1 - power), freedom)) * error;

/** How much a metric changed from the base to the new side, on the scale on which the metric's noise is symmetric. */
interface Difference {
  readonly change: number;
  /** The 95 % confidence interval and the p-value; `null` if a side is a single run. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly p: number | null;
  /**
   * The 90 % interval. If this interval lies within ± the smallest relevant change, the sides are equivalent by two
   * one-sided tests at 5 % (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
   */
  readonly inner: Difference['interval'];
  /** The smallest change that counts. Measurement error makes it larger. */
  readonly least: number;
  /**
   * The sides count as the same if `inner` lies within ± this change. Measurement error does not widen it, unlike
   * `least`: if the error allows a figure to be twice as high, the figure proves neither a change nor sameness.
   */
  readonly sameWithin: number;
  readonly reportedLeast: number;
  readonly lowerIsBetter: boolean;
  /**
   * The change that remains without the drift; `null` if the runs took turns, since both sides then share the drift.
   */
  readonly remaining: Remaining | null;
  /**
   * Returns the smallest change that is detected at a significance level. `neededAt` returns the repetitions that would
   * decide.
   */
  readonly detectableAt: (level: number) => number | null;
  readonly neededAt: (level: number) => number | null;
  readonly toReported: (value: number) => number;
}

/** Returns the standard deviation of one repetition, estimated from both sides. */
const deviationOf = (sides: readonly (readonly number[])[]): number => {
  const repeated = sides.filter((logs) => logs.length > 1);
  if (repeated.length === 0) return assumedNoise;
  const squares = repeated.reduce((sum, logs) => sum + varianceOf(logs) * (logs.length - 1), 0);
  const freedom = repeated.reduce((sum, logs) => sum + logs.length - 1, 0);
  return Math.sqrt(Math.max(resolution, squares / freedom));
};

/**
 * Returns the size of the change that counts: the change itself, or the change that remains without a drift, whichever
 * is smaller. Returns 0 if these two changes have different directions.
 */
const sizeOf = ({ change, remaining }: Pick<Difference, 'change' | 'remaining'>): number =>
  remaining === null
    ? Math.abs(change)
    : Math.max(0, Math.min(Math.abs(change), remaining.difference * Math.sign(change)));

/** Returns the change of a latency or a rate, computed with the logarithms of its values. */
const ratioDifference = (
  { base, next, labels, effect, floor, error }: RatioCandidate,
  places: Places | null,
): Difference => {
  const [before, after] = [base.map(Math.log), next.map(Math.log)];
  const change = meanOf(after) - meanOf(before);
  const isRepeated = base.length > 1 && next.length > 1;
  const contrast = isRepeated ? welch(before, after, resolution) : null;
  const remaining =
    places && isRepeated
      ? remainingChange({ base: before, next: after }, places, resolution)
      : null;
  const around = (level: number): Difference['interval'] => {
    if (contrast === null) return null;
    const half = halfWidth(contrast, level);
    return { low: change - half, high: change + half };
  };
  const relevant = 1 + Math.max(effect, floor / geometricMean(base));
  const reportedLeast = relevant * (1 + error);
  const [sameWithin, least] = [Math.log(relevant), Math.log(reportedLeast)];
  const deviation = deviationOf([before, after]);
  return {
    change,
    interval: around(alpha),
    inner: around(2 * alpha),
    p: contrast && Math.max(contrast.p, remaining?.p ?? 0),
    least,
    sameWithin,
    reportedLeast,
    lowerIsBetter: labels.better !== 'higher',
    remaining,
    detectableAt: (level) => contrast && detectableInOrder(contrast, remaining, level),
    neededAt: (level) => {
      const size = Math.abs(change);
      if (size > sameWithin && size <= least) return null;
      return remaining !== null && size > least
        ? neededWithoutDrift(change, remaining, { least, alpha: level })
        : repetitionsNeeded({ difference: change, deviation, least: sameWithin, alpha: level });
    },
    toReported: Math.exp,
  };
};

/** Returns the smallest effect that is significant both with and without the drift. */
const detectableInOrder = (
  contrast: Pick<Contrast, 'error' | 'freedom'>,
  remaining: Remaining | null,
  level: number,
): number =>
  Math.max(
    detectableEffect(contrast, level),
    remaining === null ? 0 : detectableEffect(remaining, level / unevenDrift),
  );

/**
 * Returns how many repetitions would show that a change is relevant; `null` if the change without the drift is not
 * relevant, since no number would then be enough.
 */
const neededWithoutDrift = (
  change: number,
  remaining: Remaining,
  rule: { readonly least: number; readonly alpha: number },
): number | null => {
  const difference = sizeOf({ change, remaining });
  if (difference <= rule.least) return null;
  const deviation = Math.sqrt(remaining.variance);
  return repetitionsNeeded({ ...rule, difference, deviation, isApart: true });
};

/**
 * Returns the change of a share that remains without the drift. Even if all runs have equal shares, the error is at
 * least the random variation of their counts.
 */
const remainingShare = (
  { base, next }: ShareCandidate,
  places: Places | null,
): Remaining | null => {
  if (places === null || base.length < 2 || next.length < 2) return null;
  const runs = [...base, ...next];
  const { events, of } = sumOfShares(runs);
  const share = shareOf({ events, of });
  const variance = (share * (1 - share) * runs.length) / of;
  return remainingChange(
    { base: base.map(shareOf), next: next.map(shareOf) },
    places,
    Math.max(resolution, variance),
  );
};

/** Returns the change of a share of failed arrivals. A higher share is worse. */
const shareDifference = (candidate: ShareCandidate, places: Places | null): Difference => {
  const { base, next } = candidate;
  const remaining = remainingShare(candidate, places);
  const [one, other] = [effectiveShare(base), effectiveShare(next)];
  const [before, after] = [shareOf(sumOfShares(base)), shareOf(sumOfShares(next))];
  const change = after - before;
  const freedom = base.length + next.length - 2;
  const isRepeated = freedom > 0;
  // With few repetitions, the design effects are only estimates, so Student's t is used. Single runs have no design
  // effect.
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
    p: isRepeated
      ? Math.max(
          newcombeP(one, other, (t) => beyondT(t, freedom)),
          remaining?.p ?? 0,
        )
      : null,
    least: rateEffect,
    sameWithin: rateEffect,
    reportedLeast: rateEffect,
    lowerIsBetter: true,
    remaining,
    detectableAt: (level) => {
      if (!isRepeated) return null;
      const quantiles = critical(level) + critical(2 * (1 - power));
      const alike = (quantiles / critical(alpha)) * half;
      return remaining === null
        ? alike
        : Math.max(alike, detectableEffect(remaining, level / unevenDrift));
    },
    // The width of the interval is proportional to Student's t, and to 1 / √n for n repetitions.
    neededAt: (level) => {
      if (remaining !== null && isBeyond)
        return neededWithoutDrift(change, remaining, { least: rateEffect, alpha: level });
      const error = (half / critical(alpha)) * Math.sqrt(Math.min(base.length, next.length));
      const wanted = isBeyond ? level : 2 * alpha;
      return fewestRepetitions(
        (count) => critical(wanted, 2 * count - 2) * (error / Math.sqrt(count)) <= room,
      );
    },
    toReported: (share) => share,
  };
};

/** Returns the change of a metric; `null` if a side has no value. */
export const differenceOf = (
  candidate: MetricCandidate,
  places: Places | null,
): Difference | null => {
  const { base, next, scale } = candidate;
  if (base.length === 0 || next.length === 0) return null;
  return scale === 'difference'
    ? shareDifference(candidate, places)
    : ratioDifference(candidate, places);
};

type Judgement = Pick<ComparedMetric, 'effect' | 'verdict' | 'needed'>;

const verdictOf = (difference: Difference, p: number | null): Judgement['verdict'] => {
  const { change, inner, least, sameWithin, lowerIsBetter } = difference;
  if (inner === null) return 'inconclusive';
  const isWorse = lowerIsBetter ? change > 0 : change < 0;
  const isSure = (p === null || p < significance) && sizeOf(difference) > least;
  if (isSure) return isWorse ? 'regression' : 'improvement';
  return inner.low > -sameWithin && inner.high < sameWithin ? 'same' : 'inconclusive';
};

/** The facts, beside a metric's own values, that decide its verdict. */
interface Surroundings {
  /**
   * The p-value adjusted by Hochberg; `null` if the metric is not gated. In this case, the metric's own p-value is
   * used.
   */
  readonly adjustedP: number | null;
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
  const { change, interval, p, least, reportedLeast, remaining, toReported } = difference;
  const verdict = verdictByRuns(candidate, difference, surroundings);
  const level = significance / Math.max(1, tests);
  const detectable = difference.detectableAt(level);
  // Only a drift in the direction of the change can explain it.
  const isSuspected =
    verdict === 'inconclusive' && remaining !== null && remaining.slope * change > 0;
  return {
    effect: {
      change: toReported(change),
      low: interval && toReported(interval.low),
      high: interval && toReported(interval.high),
      p,
      adjustedP,
      least: reportedLeast,
      relevant: toReported(difference.sameWithin),
      drift: isSuspected && Math.abs(change) > least ? toReported(remaining.slope) : null,
      detectable: detectable === null ? null : toReported(Math.max(least, detectable)),
    },
    verdict,
    needed: verdict === 'inconclusive' ? difference.neededAt(level) : null,
  };
};
