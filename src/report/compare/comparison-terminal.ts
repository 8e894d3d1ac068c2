import type { ComparedMetric, Comparison, ComparisonVerdict } from '../../model/comparison.ts';
import { figureText } from '../number-text.ts';
import { printable } from '../printable.ts';
import {
  type Cell,
  paragraph,
  type Screen,
  screenOf,
  type Style,
  tableLines,
} from '../terminal/screen.ts';
import {
  boundsText,
  changeText,
  gatedIn,
  howToRead,
  pText,
  remarkText,
  sideLine,
  sideText,
  verdictText,
  warningTexts,
} from './comparison-words.ts';

const styles = {
  regression: 'bad',
  inconclusive: 'warning',
  improvement: 'good',
  same: 'good',
} as const satisfies Record<ComparisonVerdict, Style>;

const head = ['', 'unit', 'base', 'new', 'change', '95 % interval', 'p', 'verdict'] as const;

const row = (metric: ComparedMetric): readonly Cell[] => {
  const { label, unit, effect, gated, verdict, needed } = metric;
  const said = verdict === 'inconclusive' && needed !== null ? `${verdict} (${needed})` : verdict;
  const style = gated ? styles[verdict] : 'quiet';
  return [
    { text: `  ${label}` },
    { text: unit, style: 'quiet' },
    { text: sideText(metric, metric.base.typical) },
    { text: sideText(metric, metric.next.typical) },
    { text: effect === null ? '–' : changeText(metric, effect.change), style },
    { text: boundsText(metric), style: 'quiet' },
    { text: pText(metric), style: 'quiet' },
    { text: gated ? said : '', style },
  ];
};

const streamTitle = ({ traffic, model }: ComparedMetric): string =>
  traffic === null ? 'all traffic' : [traffic, model ?? ''].join(' ').trim();

/** The metrics under their stream's title. */
const rows = (metrics: readonly ComparedMetric[]): readonly (readonly Cell[])[] =>
  [...Map.groupBy(metrics, streamTitle)].flatMap(([title, those]) => [
    [{ text: printable(title), style: 'strong' }],
    ...those.map(row),
  ]);

const remarks = (screen: Screen, metrics: readonly ComparedMetric[]): readonly string[] => {
  const said = metrics.filter(({ remark }) => remark !== null);
  return said.flatMap((metric) =>
    paragraph(screen, printable(`${metric.id}: ${remarkText(metric)}.`), { style: 'quiet' }),
  );
};

/** A comparison for a terminal: the verdict, then the gated metrics, then those that are only shown. */
export const comparisonTerminal = (
  comparison: Comparison,
  look: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(look);
  const { base, next, metrics, shapes, verdict } = comparison;
  const quietly = (text: string): readonly string[] =>
    paragraph(screen, printable(text), { indent: 0, style: 'quiet' });
  const table = (title: string, those: readonly ComparedMetric[]): readonly string[] =>
    those.length === 0
      ? []
      : [
          '',
          screen.paint('strong', title),
          ...tableLines(screen, { head, rows: rows(those), rightFrom: 2 }),
        ];
  const gated = gatedIn(comparison);
  return [
    ...paragraph(screen, printable(verdictText(comparison)), { indent: 0, style: styles[verdict] }),
    ...quietly(`Base ${sideLine(base)}`),
    ...quietly(`New  ${sideLine(next)}`),
    ...warningTexts(comparison).flatMap((text) =>
      paragraph(screen, printable(text), { indent: 0, style: 'warning' }),
    ),
    ...table('Gated', gated),
    ...remarks(screen, gated),
    ...table(
      'Not gated',
      metrics.filter((metric) => !metric.gated),
    ),
    ...(shapes.length === 0 ? [] : ['', screen.paint('strong', 'Shape')]),
    ...shapes.flatMap(({ traffic, model, measure, distance }) =>
      paragraph(
        screen,
        `${printable([traffic, model ?? '', measure].filter((word) => word !== '').join(' '))}: the distributions are ${figureText(distance * 100)} % apart at most (Kolmogorov-Smirnov; advisory).`,
      ),
    ),
    '',
    ...quietly(
      `${howToRead} A number behind “inconclusive” is how many repetitions a side would decide.`,
    ),
  ].join('\n');
};
