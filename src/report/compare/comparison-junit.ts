import type { ComparedMetric, Comparison } from '../../model/comparison.ts';
import { type JunitCase, junitFile } from '../junit.ts';
import {
  boundsText,
  changeText,
  gatedIn,
  leastText,
  metricText,
  pText,
  remarkText,
  sideText,
  verdictText,
} from './comparison-words.ts';

const figures = (metric: ComparedMetric): string => {
  const { base, next, unit, effect } = metric;
  const change = effect === null ? 'no change can be told' : changeText(metric, effect.change);
  return `${sideText(metric, base.typical)} to ${sideText(metric, next.typical)} ${unit}, ${change} ${boundsText(metric)}, p ${pText(metric)}, minimum effect ${leastText(metric)}`;
};

const caseOf = (metric: ComparedMetric, strict: boolean): JunitCase => {
  const named = { classname: 'comparison', name: metricText(metric) };
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

/** Each gated metric as a JUnit test: a regression fails; what is undecided is skipped, or fails where it must not be. */
export const comparisonJunit = (comparison: Comparison, strict: boolean): string => {
  const gated = gatedIn(comparison);
  return junitFile({
    name: `weir compare ${comparison.next.plan}`,
    startedAt: comparison.comparedAt,
    took: 0,
    properties: { weir: comparison.weir },
    cases: gated.map((metric) => caseOf(metric, strict)),
    output: [
      verdictText(comparison),
      ...gated.map((metric) => `${metricText(metric)}: ${metric.verdict}: ${figures(metric)}`),
    ],
  });
};
