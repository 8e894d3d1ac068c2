import type { Comparison } from '../model/comparison.ts';
import { type ComparedMetric, headlineOf } from '../../../model/series/compared-metric.ts';
import { bareChangeText, changeText, type Scaled } from '../../../report/summary/metric-text.ts';
import { countText, plural } from '../../../report/text/number-text.ts';
import { present, textIf } from '../../../report/text/present.ts';

/** Formats the size of a change without its direction; a dash stands for a missing change. */
export const unsignedChangeText = (metric: Scaled, value: number | null | undefined): string =>
  typeof value === 'number' ? changeText(metric, value).replace('+', '±') : '–';

export const boundsText = (metric: Scaled, low: number, high: number): string =>
  `[${bareChangeText(metric, low)}, ${bareChangeText(metric, high)}]`;

export const changeIntervalText = (metric: ComparedMetric): string => {
  const { low = null, high = null } = metric.effect ?? {};
  return low === null || high === null ? '–' : boundsText(metric, low, high);
};

export const pValueText = ({ effect }: ComparedMetric): string => {
  const p = effect?.adjustedP ?? effect?.p ?? null;
  if (p === null) return '–';
  return p < 0.001 ? '<0.001' : p.toFixed(3);
};

export const minimumEffectText = (metric: ComparedMetric): string =>
  unsignedChangeText(metric, metric.effect?.least);

/** Formats a metric's traffic kind and model, followed by a space; empty for a metric of all traffic. */
export const streamText = ({ traffic, model }: ComparedMetric): string =>
  present([traffic, model])
    .map((word) => `${word} `)
    .join('');

/** Formats the full name of a metric: `chat-stream TTFT p95`. */
export const metricName = (metric: ComparedMetric): string =>
  `${streamText(metric)}${metric.label}`;

/**
 * Returns whether a change is above the minimum effect, but not above the minimum effect as widened by the measurement
 * error.
 */
const isWithinError = ({ effect, scale }: ComparedMetric): boolean => {
  // Measurement error widens only the minimum effect of ratios, not that of shares (such as failure rates).
  if (effect?.relevant === undefined || scale !== 'ratio') return false;
  const ratio = Math.max(effect.change, 1 / effect.change);
  return ratio > effect.relevant && ratio <= effect.least;
};

const openReason = (metric: ComparedMetric): string =>
  isWithinError(metric)
    ? `with the load generator’s own error, which a busy machine makes large, only more than ${minimumEffectText(metric)} counts here`
    : 'the change is too near the minimum effect';

/** Says why a metric is undecided or does not count. */
export const remarkText = (metric: ComparedMetric): string => {
  const { verdict, needed, gated, effect, scale, remark } = metric;
  const isUndecided = verdict === 'inconclusive' && effect !== null && gated;
  const drift = effect?.drift ?? null;
  const missing =
    drift !== null
      ? `a drift of ${bareChangeText({ scale }, drift)} % from run to run can be the change: compare in turns, with --against`
      : needed === null
        ? `not even 1,000 repetitions per side would decide: ${openReason(metric)}`
        : `${countText(needed)} repetitions per side would decide`;
  return [remark, isUndecided && missing].filter(Boolean).join('; ');
};

export const gatedMetrics = ({ metrics }: Comparison): readonly ComparedMetric[] =>
  metrics.filter(({ gated }) => gated);

/** The maximum number of metrics that a verdict names. All further metrics are only counted. */
const maxNamed = 4;

const named = (metrics: readonly ComparedMetric[]): string => {
  // The name of one more metric takes no more space than the words “and 1 more”.
  const shown = metrics.length === maxNamed + 1 ? metrics : metrics.slice(0, maxNamed);
  const names = shown.map((metric) => {
    const { effect } = metric;
    const change = effect === null ? '' : ` (${changeText(metric, effect.change)})`;
    return `${metricName(metric)}${change}`;
  });
  const others = metrics.length - shown.length;
  return `${names.join(', ')}${textIf(others > 0, ` and ${others} more`)}`;
};

const isIndicative = ({ base, next }: Comparison): boolean =>
  base.runs.length === 1 && next.runs.length === 1;

const neededText = (comparison: Comparison, metrics: readonly ComparedMetric[]): string => {
  if (metrics.some(({ effect }) => typeof effect?.drift === 'number'))
    return 'The runs drift and did not take turns, so the drift can be the change: compare in turns, with --against.';
  const all = metrics.map(({ needed }) => needed);
  if (all.includes(null))
    return metrics.some((metric) => metric.needed === null && isWithinError(metric))
      ? 'The load generator’s own error can be as large as some of these changes: use a quieter machine.'
      : 'For some of them no number of repetitions would decide.';
  const most = Math.max(0, ...present(all));
  return isIndicative(comparison)
    ? `At least ${most} per side are needed.`
    : `${plural(most, 'repetition')} per side would decide.`;
};

const undecidedText = (comparison: Comparison, open: readonly ComparedMetric[]): string => {
  const needed = neededText(comparison, open);
  const least = comparison.rules['repetitions'] ?? 5;
  if (Math.min(comparison.base.runs.length, comparison.next.runs.length) >= least) {
    return `${plural(open.length, 'gated metric')} undecided: ${named(open)}. ${needed}`;
  }
  return isIndicative(comparison)
    ? `This is an indication: one run against one, which cannot show how much runs differ. ${needed}`
    : `Fewer than ${least} repetitions per side decide nothing${needed.startsWith(`${least} repetitions`) ? `: write --repeat ${least}.` : `. ${needed}`}`;
};

/**
 * Returns the metrics outside the gates that are surely worse, even after the Bonferroni correction for their number.
 */
export const worseBesides = ({ metrics, rules }: Comparison): readonly ComparedMetric[] => {
  const others = metrics.filter(({ gated }) => !gated);
  const level = (rules['significance'] ?? 0) / Math.max(1, others.length);
  return others.filter(
    ({ verdict, effect }) => verdict === 'regression' && (effect?.p ?? 0) < level,
  );
};

export const comparisonVerdictText = (comparison: Comparison): string => {
  const worse = worseBesides(comparison);
  const how = isIndicative(comparison) ? 'far worse, run against run' : 'surely worse';
  const besides = textIf(worse.length > 0, ` Not gated, but ${how}: ${named(worse)}.`);
  return `${gatedVerdictText(comparison)}${besides}`;
};

const gatedVerdictText = (comparison: Comparison): string => {
  const gated = gatedMetrics(comparison);
  const decidingMetrics = gated.filter(({ verdict }) => verdict === comparison.verdict);
  const others = gated.filter(({ verdict }) => verdict === 'inconclusive');
  const undecidedOthers = textIf(others.length > 0, ` Undecided: ${named(others)}.`);
  switch (comparison.verdict) {
    case 'regression':
      return `Regression: ${named(decidingMetrics)}.${textIf(isIndicative(comparison), ' This is an indication: one run against one. It counts because the two runs are apart by more than the minimum effect, beyond their 95 % intervals and beyond what runs of 10 % noise differ by.')}`;
    case 'improvement':
      return `Improvement: ${named(decidingMetrics)}; nothing${textIf(worseBesides(comparison).length > 0, ' gated')} is surely worse.${undecidedOthers}`;
    case 'same':
      return `Same: none of ${plural(headlineOf(gated).length, 'headline figure')} changed by more than its minimum effect.${undecidedOthers}`;
    case 'inconclusive':
      return gated.length === 0
        ? 'Inconclusive: no metric has enough samples to decide. Run longer, or name the metrics that decide with --gate.'
        : `Inconclusive. ${undecidedText(comparison, decidingMetrics)}`;
  }
};
