import type { Quantile } from '../../model/measures/quantile.ts';
import { type Cell, column, type Column, table, type Table } from '../document/document.ts';
import { reportedQuantiles } from '../../model/measures/headline.ts';
import { markedErrorText } from '../summary/error-text.ts';
import type { MeasureFigures } from '../summary/figures.ts';
import { countText, factorText, figureText, intervalText } from '../text/number-text.ts';

/** A figure; the duration of a second of audio also as a real-time factor. */
const valueCell = (value: number, unit: string): Cell => ({
  text: figureText(value, unit),
  ...(unit === 'ms/s' ? { unit: factorText(value) } : {}),
});

/** A percentile with its confidence interval, marked if few samples are beyond it. */
export const quantileCell = ({ value, low, high, weak }: Quantile, unit: string): Cell => ({
  ...valueCell(value, unit),
  text: `${weak ? '~' : ''}${figureText(value, unit)}`,
  note: `[${intervalText(low, high, unit)}]`,
  tone: weak ? 'quiet' : 'strong',
});

const columns: readonly Column<MeasureFigures>[] = [
  column.name({ title: 'Measure', media: ['html'] }, ({ subject, withheld }) => ({
    text: subject.label,
    unit: `${subject.unit}${subject.better === 'higher' ? ' · higher is better' : ''}`,
    note: withheld ? 'withheld: the run is invalid' : undefined,
  })),
  column.name({ title: 'Measure', media: ['terminal', 'markdown'] }, ({ subject }) => ({
    text: subject.short,
    unit: subject.unit.replace('characters', 'chars'),
  })),
  column.number('n', ({ n }) => countText(n)),
  ...reportedQuantiles.map((q) =>
    column.number(
      { title: `p${q * 100}`, spare: q === 0.9 },
      ({ subject, quantiles, withheld }: MeasureFigures) => {
        const found = quantiles.find((each) => each.q === q);
        if (withheld) return { text: 'withheld', tone: 'bad' };
        if (found === undefined) return '–';
        return { ...quantileCell(found, subject.unit), error: markedErrorText(found.error) };
      },
    ),
  ),
  column.number({ title: 'max', spare: true }, ({ subject, max, withheld }) =>
    withheld ? '–' : valueCell(max, subject.unit),
  ),
];

/** Measures as rows, percentiles with their confidence intervals and measurement errors as columns. */
export const figuresTable = (
  caption: string,
  rows: readonly MeasureFigures[],
  groupOf: (figures: MeasureFigures) => string = () => '',
): Table => table(caption, columns, rows, { look: 'figures', showsNotes: true, groupOf });
