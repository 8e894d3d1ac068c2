import type { ComparedMetric, Comparison, ComparisonVerdict } from '../../model/comparison.ts';
import { printable } from '../printable.ts';
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
} from './comparison-words.ts';

const marks = {
  regression: '🔴',
  inconclusive: '⚪',
  improvement: '🟢',
  same: '✅',
} as const satisfies Record<ComparisonVerdict, string>;

/** Text of a server or a path as Markdown shows it: nothing in it can end a cell, begin a tag, a link or an emphasis. */
const plain = (text: string): string =>
  printable(text).replace(/[\\`*_[\]#|<>~&@]/g, (character) => `&#${character.charCodeAt(0)};`);

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
  `| ${marks[metric.verdict]} ${cells(metric).map(plain).join(' | ')} |`;

/** A comparison for a step summary on GitHub or a comment: the verdict first, then a table of the gated metrics. */
export const comparisonMarkdown = (comparison: Comparison): string => {
  const { base, next, overridden, cautions, verdict } = comparison;
  const notes = [...overridden.map((reason) => `Compared although ${reason}.`), ...cautions];
  return [
    `### ${marks[verdict]} ${plain(verdictText(comparison))}`,
    '',
    `Base ${plain(sideLine(base))}  `,
    `New ${plain(sideLine(next))}`,
    '',
    ...notes.flatMap((note) => [`> ${plain(note)}`, '']),
    '| metric | base | new | change | 95 % interval | p | verdict |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...gatedIn(comparison).map(row),
    '',
  ].join('\n');
};
