import type { ComparedMetric, Comparison } from '../../model/series/comparison.ts';
import { failed, type JunitCase, junitFile, passed, skipped } from '../junit/junit-file.ts';
import {
  changeIntervalText,
  changeText,
  gatedMetrics,
  minimumEffectText,
  metricName,
  pValueText,
  remarkText,
  sideValueText,
  comparisonVerdictText,
} from './comparison-text.ts';

const figures = (metric: ComparedMetric): string => {
  const { base, next, unit, effect } = metric;
  const change = effect === null ? 'change unknown' : changeText(metric, effect.change);
  return `${sideValueText(metric, base.typical)} to ${sideValueText(metric, next.typical)} ${unit}, ${change} ${changeIntervalText(metric)}, p ${pValueText(metric)}, minimum effect ${minimumEffectText(metric)}`;
};

const caseOf = (metric: ComparedMetric, strict: boolean): JunitCase => {
  const text = figures(metric);
  const remark = remarkText(metric);
  const outcomes = {
    regression: failed('regression', text, [text, remark].join('\n').trim()),
    inconclusive: strict
      ? failed('inconclusive', `inconclusive: ${remark}`, text)
      : skipped(`inconclusive: ${[text, remark].join('; ')}`),
    improvement: passed,
    same: passed,
  };
  const outcome = outcomes[metric.verdict];
  return { classname: 'comparison', name: metricName(metric), outcome };
};

/** Each gated metric as a JUnit test: a regression fails; an undecided one is skipped, or fails if `strict`. */
export const comparisonJunit = (comparison: Comparison, strict: boolean): string => {
  const gated = gatedMetrics(comparison);
  return junitFile({
    name: `weir compare ${comparison.next.plan}`,
    startedAt: comparison.comparedAt,
    duration: 0,
    properties: { weir: comparison.weir },
    cases: gated.map((metric) => caseOf(metric, strict)),
    output: [
      comparisonVerdictText(comparison),
      ...gated.map((metric) => `${metricName(metric)}: ${metric.verdict}: ${figures(metric)}`),
    ],
  });
};
