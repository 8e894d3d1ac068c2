import { comparisonRules, type ComparisonVerdict } from '../../model/series/comparison.ts';
import { type JudgedMetric, maxRepetitions } from './judge-ratio.ts';
import {
  effectiveShare,
  newcombe,
  newcombeP,
  type Share,
  shareOf,
  sumOfShares,
} from '../statistics/significance.ts';
import { criticalNormal } from '../statistics/student-t.ts';

const { alpha, repetitions, rateEffect, indicativeRatio, power } = comparisonRules;

/** The failed arrivals of each repetition; more is worse. */
export interface ShareMetric {
  readonly base: readonly Share[];
  readonly next: readonly Share[];
}

const totalOf = (parts: readonly Share[]): number => shareOf(sumOfShares(parts));

export const shareP = ({ base, next }: ShareMetric): number =>
  newcombeP(effectiveShare(base), effectiveShare(next));

const verdictOf = (
  { base, next }: ShareMetric,
  interval: { readonly low: number; readonly high: number },
  p: number,
): ComparisonVerdict => {
  const [before, after] = [totalOf(base), totalOf(next)];
  const change = after - before;
  const isSure = p < alpha && Math.abs(change) > rateEffect;
  if (base.length === 1 && next.length === 1) {
    return isSure && after > before * indicativeRatio ? 'regression' : 'inconclusive';
  }
  if (Math.min(base.length, next.length) < repetitions) return 'inconclusive';
  if (isSure) return change > 0 ? 'regression' : 'improvement';
  return interval.low > -rateEffect && interval.high < rateEffect ? 'same' : 'inconclusive';
};

/** Repetitions that would decide: the interval shrinks with the root of their number. */
const neededOf = (metric: ShareMetric, half: number, level: number): number | null => {
  const change = Math.abs(totalOf(metric.next) - totalOf(metric.base));
  const isBeyond = change > rateEffect;
  const widened = isBeyond ? criticalNormal(level) / criticalNormal(alpha) : 1;
  const room = isBeyond ? change : rateEffect - change;
  if (room <= 0) return null;
  const count = Math.min(metric.base.length, metric.next.length);
  const needed = Math.max(repetitions, Math.ceil(count * ((half * widened) / room) ** 2));
  return needed > maxRepetitions ? null : needed;
};

/** The verdict on a failure rate; `adjustedP` and `tests` as for a ratio. */
export const judgeShare = (
  metric: ShareMetric,
  adjustedP: number | null,
  tests: number,
): JudgedMetric => {
  const [one, other] = [effectiveShare(metric.base), effectiveShare(metric.next)];
  const interval = newcombe(one, other, criticalNormal(alpha));
  const p = shareP(metric);
  const verdict = verdictOf(metric, interval, adjustedP ?? p);
  const level = alpha / Math.max(1, tests);
  const half = (interval.high - interval.low) / 2;
  const seen =
    ((criticalNormal(level) + criticalNormal(2 * (1 - power))) / criticalNormal(alpha)) * half;
  return {
    effect: {
      change: totalOf(metric.next) - totalOf(metric.base),
      ...interval,
      p,
      adjustedP,
      least: rateEffect,
      detectable: Math.max(rateEffect, seen),
    },
    verdict,
    needed: verdict === 'inconclusive' ? neededOf(metric, half, level) : null,
  };
};
