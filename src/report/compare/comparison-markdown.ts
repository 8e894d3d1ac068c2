import type {
  ComparedMetric,
  Comparison,
  ComparisonVerdict,
} from '../../model/series/comparison.ts';
import { escapedMarkdown } from '../markdown/markdown-text.ts';
import {
  changeIntervalText,
  changeText,
  gatedMetrics,
  metricName,
  pValueText,
  remarkText,
  sideLine,
  sideValueText,
  comparisonVerdictText,
  comparisonWarnings,
} from './comparison-text.ts';

const marks = {
  regression: '🔴',
  inconclusive: '⚪',
  improvement: '🟢',
  same: '✅',
} as const satisfies Record<ComparisonVerdict, string>;

const cells = (metric: ComparedMetric): readonly string[] => [
  metricName(metric),
  `${sideValueText(metric, metric.base.typical)} ${metric.unit}`,
  `${sideValueText(metric, metric.next.typical)} ${metric.unit}`,
  metric.effect === null ? '–' : changeText(metric, metric.effect.change),
  changeIntervalText(metric),
  pValueText(metric),
  [metric.verdict, remarkText(metric)].filter((text) => text !== '').join(': '),
];

const row = (metric: ComparedMetric): string =>
  `| ${marks[metric.verdict]} ${cells(metric).map(escapedMarkdown).join(' | ')} |`;

/** A comparison for a step summary on GitHub or a comment: the verdict first, then a table of the gated metrics. */
export const comparisonMarkdown = (comparison: Comparison): string => {
  const { base, next, verdict } = comparison;
  return [
    `### ${marks[verdict]} ${escapedMarkdown(comparisonVerdictText(comparison))}`,
    '',
    `Base ${escapedMarkdown(sideLine(base))}  `,
    `New ${escapedMarkdown(sideLine(next))}`,
    '',
    ...comparisonWarnings(comparison).flatMap((note) => [`> ${escapedMarkdown(note)}`, '']),
    '| metric | base | new | change | 95 % interval | p | verdict |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...gatedMetrics(comparison).map(row),
    '',
  ].join('\n');
};
