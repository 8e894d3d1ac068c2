import type { ComparedMetric, Comparison, ComparisonVerdict } from '../../model/comparison.ts';
import { escapedText } from '../markdown/markdown-text.ts';
import {
  boundsText,
  changeText,
  gatedIn,
  metricText,
  pText,
  remarkText,
  sideLine,
  sideText,
  verdictText,
  warningTexts,
} from './comparison-words.ts';

const marks = {
  regression: '🔴',
  inconclusive: '⚪',
  improvement: '🟢',
  same: '✅',
} as const satisfies Record<ComparisonVerdict, string>;

const cells = (metric: ComparedMetric): readonly string[] => [
  metricText(metric),
  `${sideText(metric, metric.base.typical)} ${metric.unit}`,
  `${sideText(metric, metric.next.typical)} ${metric.unit}`,
  metric.effect === null ? '–' : changeText(metric, metric.effect.change),
  boundsText(metric),
  pText(metric),
  [metric.verdict, remarkText(metric)].filter((text) => text !== '').join(': '),
];

const row = (metric: ComparedMetric): string =>
  `| ${marks[metric.verdict]} ${cells(metric).map(escapedText).join(' | ')} |`;

/** A comparison for a step summary on GitHub or a comment: the verdict first, then a table of the gated metrics. */
export const comparisonMarkdown = (comparison: Comparison): string => {
  const { base, next, verdict } = comparison;
  return [
    `### ${marks[verdict]} ${escapedText(verdictText(comparison))}`,
    '',
    `Base ${escapedText(sideLine(base))}  `,
    `New ${escapedText(sideLine(next))}`,
    '',
    ...warningTexts(comparison).flatMap((note) => [`> ${escapedText(note)}`, '']),
    '| metric | base | new | change | 95 % interval | p | verdict |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...gatedIn(comparison).map(row),
    '',
  ].join('\n');
};
