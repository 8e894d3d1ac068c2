import type { ComparedMetric, Comparison } from '../../model/series/comparison.ts';
import { countText, figureText, plural } from '../text/number-text.ts';

/** A figure of a side: a failure rate in per cent, anything else in its own unit. */
export const sideValueText = (
  { scale, unit }: Pick<ComparedMetric, 'scale' | 'unit'>,
  value: number | null,
): string => {
  if (value === null) return '–';
  return scale === 'difference' ? (value * 100).toFixed(2) : figureText(value, unit);
};

const signed = (value: number): string => {
  const text = Math.abs(value) >= 100 ? countText(Math.abs(value)) : Math.abs(value).toFixed(1);
  return `${Number(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text}`;
};

/** A change or its bound: a ratio as a percentage change, a difference of shares in points. */
export const changeText = ({ scale }: Pick<ComparedMetric, 'scale'>, value: number): string =>
  scale === 'ratio' ? `${signed((value - 1) * 100)} %` : `${signed(value * 100)} pt`;

/** The 95 % confidence interval of the change. */
export const changeIntervalText = (metric: ComparedMetric): string => {
  const { low, high } = metric.effect ?? { low: null, high: null };
  if (low === null || high === null) return '–';
  const bare = (value: number): string => changeText(metric, value).replace(/ (%|pt)$/, '');
  return `[${bare(low)}, ${bare(high)}]`;
};

/** The p-value that decides: adjusted for a gated metric, its own for any other. */
export const pValueText = ({ effect }: ComparedMetric): string => {
  const p = effect?.adjustedP ?? effect?.p ?? null;
  if (p === null) return '–';
  return p < 0.001 ? '<0.001' : p.toFixed(3);
};

/** The smallest change that counts. */
export const minimumEffectText = ({ scale, effect }: ComparedMetric): string =>
  effect === null ? '–' : changeText({ scale }, effect.least).replace('+', '±');

/** A metric's kind of traffic and model, followed by a space; empty for all traffic. */
export const streamText = ({ traffic, model }: ComparedMetric): string =>
  traffic === null ? '' : model === null ? `${traffic} ` : `${traffic} ${model} `;

/** A metric by its full name: `chat-stream TTFT p95`. */
export const metricName = (metric: ComparedMetric): string =>
  `${streamText(metric)}${metric.label}`;

/** Why a metric is undecided or does not count. */
export const remarkText = ({ verdict, needed, gated, effect, remark }: ComparedMetric): string => {
  const missingEvidence =
    verdict !== 'inconclusive' || effect === null || !gated
      ? ''
      : needed === null
        ? 'more than 1,000 repetitions per side would be needed'
        : `${countText(needed)} repetitions per side would decide`;
  return [remark ?? '', missingEvidence].filter((text) => text !== '').join('; ');
};

export const gatedMetrics = ({ metrics }: Comparison): readonly ComparedMetric[] =>
  metrics.filter(({ gated }) => gated);

const named = (metrics: readonly ComparedMetric[]): string =>
  metrics
    .map((metric) =>
      metric.effect === null
        ? metricName(metric)
        : `${metricName(metric)} (${changeText(metric, metric.effect.change)})`,
    )
    .join(', ');

const isIndicative = ({ base, next }: Comparison): boolean =>
  base.runs.length === 1 && next.runs.length === 1;

/** Repetitions per side that would decide all these metrics; `null` if no number does. */
const repetitionsNeededBy = (metrics: readonly ComparedMetric[]): number | null =>
  metrics.reduce<number | null>(
    (most, { needed }) => (most === null || needed === null ? null : Math.max(most, needed)),
    0,
  );

const undecidedText = (comparison: Comparison, open: readonly ComparedMetric[]): string => {
  const needed = repetitionsNeededBy(open);
  const enough =
    needed === null
      ? 'For some of them no number of repetitions would decide.'
      : isIndicative(comparison)
        ? `At least ${needed} per side are needed.`
        : `${plural(needed, 'repetition')} per side would decide.`;
  const least = comparison.rules['repetitions'] ?? 5;
  const few = Math.min(comparison.base.runs.length, comparison.next.runs.length) < least;
  return few
    ? `Fewer than ${least} repetitions per side decide nothing${isIndicative(comparison) ? '; one run against one is only an indication' : ''}. ${enough}`
    : `${plural(open.length, 'gated metric')} undecided: ${named(open)}. ${enough}`;
};

/** The verdict in one or two sentences. */
export const comparisonVerdictText = (comparison: Comparison): string => {
  const gated = gatedMetrics(comparison);
  const decidingMetrics = gated.filter(({ verdict }) => verdict === comparison.verdict);
  switch (comparison.verdict) {
    case 'regression':
      return `Regression: ${named(decidingMetrics)}.${isIndicative(comparison) ? ' One run against one is only an indication; it counts because the change is beyond 1.5 times.' : ''}`;
    case 'improvement':
      return `Improvement: ${named(decidingMetrics)}; nothing is worse.`;
    case 'same':
      return `Same: none of ${plural(gated.length, 'gated metric')} changed by more than its minimum effect.`;
    case 'inconclusive':
      return gated.length === 0
        ? 'Inconclusive: no metric has enough samples to decide. Run longer, or name the metrics that decide with --gate.'
        : `Inconclusive. ${undecidedText(comparison, decidingMetrics)}`;
  }
};
