import type { ComparedMetric, Comparison } from '../../model/comparison.ts';
import { markup, type Markup } from '../html/markup.ts';
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

const body = (metric: ComparedMetric, strict: boolean): Markup => {
  const text = figures(metric);
  const remark = remarkText(metric);
  switch (metric.verdict) {
    case 'regression':
      return markup`<failure message="${text}" type="regression">${[text, remark].join('\n').trim()}</failure>`;
    case 'inconclusive':
      return strict
        ? markup`<failure message="inconclusive: ${remark}" type="inconclusive">${text}</failure>`
        : markup`<skipped message="inconclusive: ${[text, remark].join('; ')}"/>`;
    case 'improvement':
    case 'same':
      return markup`<system-out>${metric.verdict}: ${text}</system-out>`;
  }
};

const testCase = (metric: ComparedMetric, strict: boolean): Markup =>
  markup`  <testcase classname="comparison" name="${metricText(metric)}" time="0">${body(metric, strict)}</testcase>
`;

/** Each gated metric as a JUnit test: a regression fails; what is undecided is skipped, or fails where it must not be. */
export const comparisonJunit = (comparison: Comparison, strict: boolean): string => {
  const gated = gatedIn(comparison);
  const count = (verdict: ComparedMetric['verdict']): number =>
    gated.filter((metric) => metric.verdict === verdict).length;
  const failures = count('regression') + (strict ? count('inconclusive') : 0);
  const skipped = strict ? 0 : count('inconclusive');
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="weir compare ${comparison.next.plan}" tests="${gated.length}" failures="${failures}" errors="0" skipped="${skipped}" timestamp="${comparison.comparedAt}" time="0">
${gated.map((metric) => testCase(metric, strict))}  <system-out>${verdictText(comparison)}</system-out>
</testsuite>
`.markup;
};
