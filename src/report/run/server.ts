import { labelOfServerFigure, unitOfServerFigure } from '../../model/measures/server-figures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  type ServerMetrics,
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
import { averageOf } from '../summary/figures.ts';
import { serverValueText } from '../summary/server-value.ts';
import { countText, figureText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';

/** A row of the table: one of the server's figures, with its values in the measured time. */
interface ServerRow {
  readonly name: string;
  readonly values: readonly number[];
}

const extremeText = (of: (...values: number[]) => number, values: readonly number[]): string =>
  values.length === 0 ? '–' : figureText(of(...values));

const columns: readonly Column<ServerRow>[] = [
  column.name('Figure', ({ name }) => labelOfServerFigure(name)),
  column.text('Unit', ({ name }) => unitOfServerFigure(name).replace('number', '')),
  column.number('Mean', ({ values }) => {
    const mean = averageOf(values);
    return mean === null ? 'never seen' : figureText(mean);
  }),
  column.number('Least', ({ values }) => extremeText(Math.min, values)),
  column.number('Most', ({ values }) => extremeText(Math.max, values)),
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

const serverFindings = (server: ServerMetrics): readonly string[] => {
  const { address, scrapes, failed, lastFailure, resets } = server;
  return present([
    scrapes === 0 && `The metrics at ${address} were never read: the run was too short.`,
    failed > 0 &&
      `${failed} of ${plural(scrapes, 'reading')} of ${address} failed, the last with: ${lastFailure}.`,
    resets > 0 &&
      `Counters fell ${plural(resets, 'time')}, as after a restart of the server; they count from 0 again.`,
  ]);
};

/** Formats the server's figures, and problems with reading them, in a line; `null` if the run did not read them. */
export const serverLine = (result: Result): string | null => {
  const { server } = result;
  if (server === undefined) return null;
  // The line shows only figures that describe the queue, explain the queue, or were defined by the scenario.
  const rows = rowsOf(result).filter(
    ({ name }) => unitOfServerFigure(name) !== '/s' && name !== 'prefixHits',
  );
  const { unseen = [], seen = [] } = Object.groupBy(rows, ({ values }) =>
    values.length === 0 ? 'unseen' : 'seen',
  );
  // Figures that the run never saw come first, since the end of a long line is cut off.
  const found = [
    ...unseen.map(({ name }) => `${name} never seen`),
    ...seen.map(({ name, values }) => {
      const mean = serverValueText(name, averageOf(values) ?? 0);
      return `${labelOfServerFigure(name).toLowerCase()} ${mean} (most ${extremeText(Math.max, values)})`;
    }),
  ];
  const findings = serverFindings(server);
  // Of the findings, the line contains only the finding on failed readings. If the line would otherwise be empty, it
  // contains all findings.
  const failures = server.failed > 0 ? findings.slice(0, 1) : [];
  const said = found.length + failures.length === 0 ? findings : failures;
  const line = present([...said, found.length > 0 && found.join(', ')]).join(' ');
  return line === ''
    ? `No figure came of ${plural(server.scrapes, 'reading')} of ${server.address}.`
    : line;
};

/** Builds the section on the server's own figures; `null` if the run did not read the server's metrics. */
export const serverSection = (result: Result, charts: readonly Chart[]): Section | null => {
  const { server } = result;
  if (server === undefined) return null;
  const names = server.software === null ? '' : `, by the names of ${server.software}`;
  const meaning = `Read from ${server.address} every ${timeText(server.every)}${names}. Rates, shares and queue times are of the time between two readings, and “running” may count requests that have just ended. The warm-up is left out of the table.`;
  return section(
    'What did the server say?',
    [
      list(serverFindings(server), 'warning'),
      charts.length > 0 && picture(() => charts.map(chartFigure)),
      table('The server’s own figures', columns, rowsOf(result)),
      only(['html', 'markdown'], text(meaning, 'quiet')),
    ],
    'server',
  );
};
