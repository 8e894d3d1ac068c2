import { labelOfServerFigure, unitOfServerFigure } from '../../model/measures/server-figures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  serverFiguresRead,
  serverSamplesIn,
  serverValuesOf,
} from '../../model/result/server-metrics.ts';
import {
  column,
  type Column,
  list,
  only,
  picture,
  section,
  type Section,
  table,
  text,
} from '../document/document.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import type { Chart } from '../html/charts/chart.ts';
import { serverValueText } from '../summary/server-value.ts';
import { countText, figureText, plural, timeText } from '../text/number-text.ts';

/** One of the server’s figures over the measured time. */
interface ServerRow {
  readonly name: string;
  readonly values: readonly number[];
}

const numberText = (value: number | undefined): string =>
  value === undefined ? '–' : figureText(value);

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length;

const leastOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.min(...values);

const mostOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.max(...values);

const columns: readonly Column<ServerRow>[] = [
  column.name('Figure', ({ name }) => labelOfServerFigure(name)),
  column.text('Unit', ({ name }) => unitOfServerFigure(name).replace('number', '')),
  column.number('Mean', ({ values }) =>
    values.length === 0 ? 'never seen' : numberText(meanOf(values)),
  ),
  column.number('Least', ({ values }) => numberText(leastOf(values))),
  column.number('Most', ({ values }) => numberText(mostOf(values))),
  column.number('Samples', ({ values }) => countText(values.length)),
  column.code(
    { title: 'In objectives', media: ['html', 'markdown'] },
    ({ name }) => `server.${name}`,
  ),
];

const rowsOf = ({ server, plan, scheduled }: Result): readonly ServerRow[] => {
  if (server === undefined) return [];
  const samples = serverSamplesIn(server, plan.warmUp, scheduled);
  const read = serverFiguresRead(server.samples);
  const seen = read
    .map((name) => ({ name, values: serverValuesOf(samples, name) }))
    .filter(({ values }) => values.length > 0);
  const unseen = (plan.server?.figures ?? []).filter(({ name }) => !read.includes(name));
  return [...seen, ...unseen.map(({ name }) => ({ name, values: [] }))];
};

/** What was wrong with reading the metrics, as sentences. */
const serverFindings = ({ server }: Result): readonly string[] => {
  if (server === undefined) return [];
  const { address, scrapes, failed, lastFailure, resets } = server;
  return [
    ...(scrapes === 0 ? [`The metrics at ${address} were never read: the run was too short.`] : []),
    ...(failed === 0
      ? []
      : [
          `${failed} of ${plural(scrapes, 'reading')} of ${address} failed, the last with: ${lastFailure}.`,
        ]),
    ...(resets === 0
      ? []
      : [
          `Counters fell ${plural(resets, 'time')}, as after a restart of the server; they count from 0 again.`,
        ]),
  ];
};

/** Whether the line of a summary has a figure: its queue and what fills it, and what the scenario asked for. */
const isOfLine = ({ name }: ServerRow): boolean =>
  unitOfServerFigure(name) !== '/s' && name !== 'prefixHits';

const byNeverSeen = (a: ServerRow, b: ServerRow): number =>
  Number(a.values.length > 0) - Number(b.values.length > 0);

/** The server’s figures in a line, and what was wrong with reading them; `null` for a run without them. */
export const serverLine = (result: Result): string | null => {
  if (result.server === undefined) return null;
  const rows = rowsOf(result).filter(isOfLine);
  // What was never seen comes first: the end of a long line is cut off.
  const found = rows.toSorted(byNeverSeen).map(({ name, values }) => {
    const mean = meanOf(values);
    if (mean === undefined) return `${name} never seen`;
    return `${labelOfServerFigure(name).toLowerCase()} ${serverValueText(name, mean)} (most ${numberText(mostOf(values))})`;
  });
  // What failed is the more important, but short: the page has all of it.
  const failures = result.server.failed === 0 ? [] : serverFindings(result).slice(0, 1);
  const nothing = found.length + failures.length === 0 ? serverFindings(result) : [];
  return [...failures, ...nothing, found.join(', ')].filter((each) => each !== '').join(' ');
};

const meaning = ({ server }: Result): string =>
  server === undefined
    ? ''
    : `Read from ${server.address} every ${timeText(server.every)}${server.software === null ? '' : `, by the names of ${server.software}`}. Rates, shares and queue times are of the time between two readings, and “running” may count requests that have just ended. The warm-up is left out of the table.`;

/** The section of the server’s own figures; `null` for a run without them. */
export const serverSection = (result: Result, charts: readonly Chart[]): Section | null =>
  result.server === undefined
    ? null
    : section(
        'What did the server say?',
        [
          list(serverFindings(result), 'warning'),
          charts.length > 0 && picture(() => charts.map(chartFigure)),
          table('The server’s own figures', columns, rowsOf(result)),
          only(['html', 'markdown'], text(meaning(result), 'quiet')),
        ],
        'server',
      );
