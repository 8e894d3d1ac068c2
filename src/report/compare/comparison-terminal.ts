import type {
  ComparedMetric,
  Comparison,
  ComparisonVerdict,
} from '../../model/series/comparison.ts';
import { figureText } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import {
  type TableCell,
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
  tableLines,
} from '../terminal/terminal-layout.ts';
import {
  changeIntervalText,
  changeText,
  gatedMetrics,
  howToReadComparison,
  pValueText,
  remarkText,
  sideLine,
  sideValueText,
  comparisonVerdictText,
  comparisonWarnings,
} from './comparison-text.ts';

const styles = {
  regression: 'bad',
  inconclusive: 'warning',
  improvement: 'good',
  same: 'good',
} as const satisfies Record<ComparisonVerdict, TextStyle>;

const head = ['', 'unit', 'base', 'new', 'change', '95 % interval', 'p', 'verdict'] as const;

const row = (metric: ComparedMetric): readonly TableCell[] => {
  const { label, unit, effect, gated, verdict, needed } = metric;
  const verdictCell =
    verdict === 'inconclusive' && needed !== null ? `${verdict} (${needed})` : verdict;
  const style = gated ? styles[verdict] : 'quiet';
  return [
    { text: `  ${label}` },
    { text: unit, style: 'quiet' },
    { text: sideValueText(metric, metric.base.typical) },
    { text: sideValueText(metric, metric.next.typical) },
    { text: effect === null ? '–' : changeText(metric, effect.change), style },
    { text: changeIntervalText(metric), style: 'quiet' },
    { text: pValueText(metric), style: 'quiet' },
    { text: gated ? verdictCell : '', style },
  ];
};

const streamTitle = ({ traffic, model }: ComparedMetric): string =>
  traffic === null ? 'all traffic' : [traffic, model ?? ''].join(' ').trim();

/** The metrics under their stream's title. */
const rows = (metrics: readonly ComparedMetric[]): readonly (readonly TableCell[])[] =>
  [...Map.groupBy(metrics, streamTitle)].flatMap(([title, those]) => [
    [{ text: printable(title), style: 'strong' }],
    ...those.map(row),
  ]);

const remarks = (layout: TerminalLayout, metrics: readonly ComparedMetric[]): readonly string[] => {
  const verdictCell = metrics.filter(({ remark }) => remark !== null);
  return verdictCell.flatMap((metric) =>
    paragraph(layout, printable(`${metric.id}: ${remarkText(metric)}.`), { style: 'quiet' }),
  );
};

/** A comparison for a terminal: the verdict, then the gated metrics, then those that are only shown. */
export const comparisonTerminal = (
  comparison: Comparison,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  const { base, next, metrics, shapes, verdict } = comparison;
  const quietly = (text: string): readonly string[] =>
    paragraph(layout, printable(text), { indent: 0, style: 'quiet' });
  const table = (title: string, those: readonly ComparedMetric[]): readonly string[] =>
    those.length === 0
      ? []
      : [
          '',
          layout.paint('strong', title),
          ...tableLines(layout, { head, rows: rows(those), rightFrom: 2 }),
        ];
  const gated = gatedMetrics(comparison);
  return [
    ...paragraph(layout, printable(comparisonVerdictText(comparison)), {
      indent: 0,
      style: styles[verdict],
    }),
    ...quietly(`Base ${sideLine(base)}`),
    ...quietly(`New  ${sideLine(next)}`),
    ...comparisonWarnings(comparison).flatMap((text) =>
      paragraph(layout, printable(text), { indent: 0, style: 'warning' }),
    ),
    ...table('Gated', gated),
    ...remarks(layout, gated),
    ...table(
      'Not gated',
      metrics.filter((metric) => !metric.gated),
    ),
    ...(shapes.length === 0 ? [] : ['', layout.paint('strong', 'Shape')]),
    ...shapes.flatMap(({ traffic, model, measure, distance }) =>
      paragraph(
        layout,
        `${printable([traffic, model ?? '', measure].filter((word) => word !== '').join(' '))}: the distributions are ${figureText(distance * 100)} % apart at most (Kolmogorov-Smirnov; advisory).`,
      ),
    ),
    '',
    ...quietly(
      `${howToReadComparison} A number behind “inconclusive” is how many repetitions a side would decide.`,
    ),
  ].join('\n');
};
