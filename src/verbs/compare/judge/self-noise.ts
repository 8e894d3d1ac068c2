import { type ComparedMetric, comparisonRules } from '../../../model/series/compared-metric.ts';
import { type Noise, type NoiseMetric, reportedRepetitions } from '../model/noise.ts';
import { compareSides, type CompareSidesOptions } from './compare-sides.ts';
import { detectableEffect, resolution, fewestRepetitions } from './judge-metric.ts';
import type { Side } from '../../../judge/series/repetition.ts';
import type { SideDifference } from './side-differences.ts';
import { geometricMean, meanOf, varianceOf } from '../../../judge/statistics/significance.ts';

const { significance } = comparisonRules;

export type SelfNoiseOptions = Omit<CompareSidesOptions, 'base' | 'next' | 'intended'> & {
  readonly side: Side;
};

export type NoiseOrRefusal =
  | { readonly ok: true; readonly noise: Noise }
  | { readonly ok: false; readonly refusals: readonly SideDifference[] };

/**
 * Divides the runs into two halves in the order ABBA, so that a drift of the environment affects both halves equally.
 */
const halvesOf = ({ name, repetitions }: Side): readonly [Side, Side] => {
  const half = (turns: readonly number[], which: string): Side => {
    const [first, ...others] = repetitions.filter((_, i): boolean => turns.includes(i % 4));
    if (first === undefined) throw new Error('expected at least two runs');
    return { name: `${name}, ${which} half`, repetitions: [first, ...others] };
  };
  return [half([0, 3], 'one'), half([1, 2], 'other')];
};

const metricNoise = (metric: ComparedMetric, tests: number): readonly NoiseMetric[] => {
  const { id, label, unit, scale, gated, base, next, effect } = metric;
  const { low = null, high = null, detectable = null } = effect ?? {};
  if (effect === null || low === null || high === null || detectable === null) return [];
  const isRatio = scale === 'ratio';
  const values = [...base.values, ...next.values];
  const deviation = Math.sqrt(Math.max(resolution, varianceOf(values.map(Math.log))));
  const level = significance / Math.max(1, tests);
  const half = Math.min(base.values.length, next.values.length);
  /**
   * Returns the change that this number of repetitions per side detects with probability `power`: the logarithm of a
   * ratio, or a difference of shares.
   */
  const detectableAt = (count: number): number => {
    // For n repetitions, the width of Newcombe's interval is proportional to 1 / √n.
    if (!isRatio) return detectable * Math.sqrt(half / count);
    const error = deviation * Math.sqrt(2 / count);
    return detectableEffect({ error, freedom: 2 * count - 2 }, level);
  };
  const least = isRatio ? Math.log(effect.least) : effect.least;
  const asChange = (value: number): number => (isRatio ? Math.exp(value) : value);
  const typical = isRatio ? geometricMean(values) : meanOf(values);
  return [
    {
      id,
      label,
      unit,
      scale,
      gated,
      typical,
      least: effect.least,
      noise: isRatio ? deviation : null,
      change: effect.change,
      low,
      high,
      detectable: reportedRepetitions.map((repetitions) => ({
        repetitions,
        change: asChange(Math.max(least, detectableAt(repetitions))),
      })),
      needed: fewestRepetitions((count) => detectableAt(count) <= least),
    },
  ];
};

/**
 * Returns how much runs of one plan differ although nothing was changed, and the smallest change that a comparison in
 * this environment detects with a power of 90 % and with 2.8 % false alarms over all gated metrics. The function uses
 * the statistics of `compareSides`. The side must have at least four runs.
 */
export const selfNoise = ({ side, ...options }: SelfNoiseOptions): NoiseOrRefusal => {
  const [base, next] = halvesOf(side);
  const compared = compareSides({ ...options, base, next, intended: [] });
  if (!compared.ok) return compared;
  const { comparison } = compared;
  const tests = comparison.metrics.filter(
    ({ gated, effect }) => gated && effect !== null && effect.p !== null,
  ).length;
  return {
    ok: true,
    noise: {
      format: 'noise/1',
      weir: options.weir,
      measuredAt: options.comparedAt,
      plan: comparison.base.plan,
      planHash: comparison.base.planHash,
      target: comparison.base.target,
      runs: side.repetitions.map(({ file }) => file),
      overridden: comparison.overridden,
      cautions: comparison.cautions,
      verdict: comparison.verdict,
      metrics: comparison.metrics.flatMap((metric) => metricNoise(metric, tests)),
    },
  };
};
