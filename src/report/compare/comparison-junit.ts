import type { ComparedMetric, Comparison } from '../../model/series/comparison.ts';
import { type JunitCase, junitFile } from '../junit/junit-file.ts';
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
  const named = { classname: 'comparison', name: metricName(metric) };
  const text = figures(metric);
  const remark = remarkText(metric);
  const details = [text, remark].join('\n').trim();
  switch (metric.verdict) {
    case 'regression':
      return { ...named, outcome: { kind: 'failed', type: 'regression', message: text, details } };
    case 'inconclusive': {
      const message = `inconclusive: ${strict ? remark : [text, remark].join('; ')}`;
      return strict
        ? { ...named, outcome: { kind: 'failed', type: 'inconclusive', message, details: text } }
        : { ...named, outcome: { kind: 'skipped', message } };
    }
    case 'improvement':
    case 'same':
      return { ...named, outcome: { kind: 'passed' } };
  }
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
