import type { TimelineSecond } from '../../../model/measures/counts.ts';
import type { Result } from '../../../model/result/result.ts';
import {
  momentOf,
  type ServerMetrics,
  serverValuesOf,
} from '../../../model/result/server-metrics.ts';
import { chartLines, chartValue, countBins, hasValues, intoBins } from './bins.ts';
import type { Chart, ChartColour, ChartLine } from './chart.ts';
import { inFlightChart } from './client-charts.ts';

/** The server’s own figures over the time of the run, beside what the client saw. */

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0
    ? null
    : chartValue(values.reduce((sum, value) => sum + value, 0) / values.length);

const isNotZero = ({ values }: ChartLine): boolean =>
  values.some((value) => value !== null && value !== 0);

type NamedLine = readonly [name: string, label: string, colour: ChartColour];

/** The mean of each figure in each bin. */
const serverLines = (
  result: Result,
  { samples }: ServerMetrics,
  names: readonly NamedLine[],
): readonly ChartLine[] => {
  const rows = samples.map((sample) => ({ sample, second: Math.floor(momentOf(sample) / 1000) }));
  const parts = intoBins(rows, countBins(result));
  return chartLines(
    parts,
    names.map(([name, label, colour]) => [
      label,
      colour,
      (part) =>
        meanOf(
          serverValuesOf(
            part.map(({ sample }) => sample),
            name,
          ),
        ),
    ]),
  ).filter(hasValues);
};

/** The client’s output tokens per second, by the second in which their answer ended. */
const ownTokens = (result: Result): readonly ChartLine[] => {
  const bins = countBins(result);
  const rate = (seconds: readonly TimelineSecond[]): number =>
    chartValue(seconds.reduce((sum, { outputTokens }) => sum + outputTokens, 0) / bins.step);
  return chartLines(intoBins(result.timeline, bins), [['output, by Weir', 'sent', rate, 'dashed']]);
};

const chart = (
  result: Result,
  [id, title, unit]: readonly [id: string, title: string, unit: string],
  lines: readonly ChartLine[],
): Chart => ({ id, title, unit, step: countBins(result).step, drawn: 'joined', lines, marks: [] });

const ownColours: readonly ChartColour[] = ['p50', 'completed', 'limited', 'malformed', 'broken'];

/** A chart for each unit that the server has figures of; none without its metrics. */
export const serverCharts = (result: Result): readonly Chart[] => {
  const { server } = result;
  if (server === undefined || server.samples.length === 0) return [];
  const lines = (...names: readonly NamedLine[]) => serverLines(result, server, names);
  const requests = lines(
    ['running', 'running on the server', 'completed'],
    ['waiting', 'waiting on the server', 'refused'],
  );
  const own = result.plan.server?.figures ?? [];
  const ours = inFlightChart(result).lines.map((line): ChartLine => ({
    ...line,
    label: 'in flight, by Weir',
    style: 'dashed',
  }));
  const tokens = lines(
    ['outputTokens', 'output, by the server', 'completed'],
    ['inputTokens', 'input, by the server', 'p95'],
  );
  const charts = [
    chart(
      result,
      ['server-requests', 'Requests: the server’s and Weir’s', ''],
      requests.length === 0 ? [] : [...ours, ...requests],
    ),
    chart(
      result,
      ['server-cache', 'Cache', '%'],
      lines(['cacheUse', 'cache in use', 'p50'], ['prefixHits', 'prefix hits', 'completed']),
    ),
    chart(
      result,
      ['server-queue', 'Time in the server’s queue', 'ms'],
      lines(['queueTime', 'queue time', 'refused']),
    ),
    chart(
      result,
      ['server-tokens', 'Tokens: the server’s and Weir’s', '/s'],
      tokens.length === 0 ? [] : [...ownTokens(result), ...tokens],
    ),
    ...own.map(({ name }, i) =>
      chart(
        result,
        [`server-own-${i}`, name, ''],
        lines([name, name, ownColours[i % ownColours.length]!]),
      ),
    ),
  ];
  return charts.filter(({ lines: drawn }) => drawn.some(isNotZero));
};
