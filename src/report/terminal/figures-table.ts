import { type MeasureFigures, reportedQuantiles } from '../summary/figures.ts';
import { countText, factorText, figureText, intervalText } from '../text/number-text.ts';
import {
  type TableCell,
  type TerminalLayout,
  type TerminalTable,
  tableLines,
  tableWidth,
} from './terminal-layout.ts';

/** Which columns a table of figures has, and where its confidence intervals stand. */
interface TableShape {
  readonly quantiles: readonly number[];
  readonly max: boolean;
  readonly interval: 'beside' | 'below';
}

/** Widest first; the first that fits is taken, and if none does the last. */
const shapes: readonly TableShape[] = [
  { quantiles: reportedQuantiles, max: true, interval: 'beside' },
  { quantiles: reportedQuantiles, max: true, interval: 'below' },
  { quantiles: [0.5, 0.95, 0.99], max: true, interval: 'below' },
  { quantiles: [0.5, 0.95], max: false, interval: 'below' },
];

const quiet = (text: string): TableCell => ({ text, style: 'quiet' });

const rowsOf = (
  { subject, n, quantiles, max, withheld }: MeasureFigures,
  shape: TableShape,
): TableCell[][] => {
  const show = (value: number): string => figureText(value, subject.unit);
  const chosen = quantiles.filter(({ q }) => shape.quantiles.includes(q));
  const name: TableCell[] = [
    { text: `  ${subject.short}` },
    quiet(subject.unit.replace('characters', 'chars')),
    { text: countText(n) },
  ];
  if (withheld) return [[...name, ...chosen.map((): TableCell => quiet('withheld')), quiet('')]];
  const values = chosen.map(({ value, low, high, weak }): TableCell => {
    const text = `${weak ? '~' : ''}${show(value)}`;
    const interval =
      shape.interval === 'beside' ? ` [${intervalText(low, high, subject.unit)}]` : '';
    return { text: text + interval, style: weak ? 'quiet' : 'strong' };
  });
  const beneath = (cells: readonly string[]): TableCell[] => ['', '', '', ...cells].map(quiet);
  const bounds = chosen.map(({ low, high }) => `[${intervalText(low, high, subject.unit)}]`);
  const factors = [...chosen.map(({ value }) => value), ...(shape.max ? [max] : [])];
  return [
    [...name, ...values, ...(shape.max ? [{ text: show(max) }] : [])],
    ...(subject.unit === 'ms/s' ? [beneath(factors.map(factorText))] : []),
    ...(shape.interval === 'below' ? [beneath(bounds)] : []),
  ];
};

/** MeasureFigures that belong together, for example of one kind of traffic. */
export interface FiguresTableSection {
  readonly title: string;
  readonly rows: readonly MeasureFigures[];
}

const tableOf = (sections: readonly FiguresTableSection[], shape: TableShape): TerminalTable => ({
  head: [
    '',
    'unit',
    'n',
    ...shape.quantiles.map((q) => `p${q * 100}`),
    ...(shape.max ? ['max'] : []),
  ],
  rows: sections.flatMap(({ title, rows }, i) => [
    ...(i === 0 ? [] : [[]]),
    [{ text: title, style: 'strong' as const }],
    ...rows.flatMap((figures) => rowsOf(figures, shape)),
  ]),
  rightFrom: 2,
});

/** One line per measure, or two when the confidence intervals do not fit beside their percentiles. */
export const figuresTableLines = (
  layout: TerminalLayout,
  sections: readonly FiguresTableSection[],
): readonly string[] => {
  const tables = shapes.map((shape) => tableOf(sections, shape));
  const table = tables.find((candidate) => tableWidth(candidate) <= layout.width) ?? tables.at(-1);
  return table === undefined ? [] : tableLines(layout, table);
};

/** What the marks of a table of figures mean. */
export const figuresLegend =
  '[low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it; ~ marks a percentile with fewer than ten samples beyond it.';
