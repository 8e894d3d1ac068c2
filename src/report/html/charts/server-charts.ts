import type { TimelineSecond } from '../../../model/measures/counts.ts';
import type { Result } from '../../../model/result/result.ts';
import { momentOf, serverValuesOf } from '../../../model/result/server-metrics.ts';
import { averageOf } from '../../summary/figures.ts';
import { chartLines, chartValue, countBins, hasValues, intoBins, timeChart } from './bins.ts';
import type { Chart, ChartColour, ChartLine } from './chart.ts';
import { inFlightChart } from './client-charts.ts';
import { sumOf } from '../../../model/sums.ts';

type NamedLine = readonly [name: string, label: string, colour: ChartColour];
type ServerChart = readonly [head: Parameters<typeof timeChart>[0], lines: readonly NamedLine[]];

const commonCharts: readonly ServerChart[] = [
  [
    ['server-requests', 'Requests: the server’s and Weir’s', ''],
    [
      ['running', 'running on the server', 'completed'],
      ['waiting', 'waiting on the server', 'refused'],
    ],
  ],
  [
    ['server-cache', 'Cache', '%'],
    [
      ['cacheUse', 'cache in use', 'p50'],
      ['prefixHits', 'prefix hits', 'completed'],
    ],
  ],
  [['server-queue', 'Time in the server’s queue', 'ms'], [['queueTime', 'queue time', 'refused']]],
  [
    ['server-tokens', 'Tokens: the server’s and Weir’s', '/s'],
    [
      ['outputTokens', 'output, by the server', 'completed'],
      ['inputTokens', 'input, by the server', 'p95'],
    ],
  ],
];

const ownColours: readonly ChartColour[] = ['p50', 'completed', 'limited', 'malformed', 'broken'];

/**
 * Returns the client's own measurements of quantities that the server's charts show, as lines by the id of the chart.
 */
const clientLines = (result: Result): Readonly<Record<string, readonly ChartLine[]>> => {
  const bins = countBins(result);
  const rate = (seconds: readonly TimelineSecond[]): number =>
    chartValue(sumOf(seconds, ({ outputTokens }) => outputTokens) / bins.step);
  const [inFlight] = inFlightChart(result).lines;
  return {
    'server-requests': [{ ...inFlight!, label: 'in flight, by Weir', style: 'dashed' }],
    'server-tokens': chartLines(intoBins(result.timeline, bins), [
      ['output, by Weir', 'sent', rate, 'dashed'],
    ]),
  };
};

/** Charts the server's own figures. Returns no chart if the server's metrics were not read. */
export const serverCharts = (result: Result): readonly Chart[] => {
  const { samples = [] } = result.server ?? {};
  if (samples.length === 0) return [];
  const bins = countBins(result);
  const rows = samples.map((sample) => ({ sample, second: Math.floor(momentOf(sample) / 1000) }));
  const parts = intoBins(rows, bins).map((part) => part.map(({ sample }) => sample));
  const lineOf = ([name, label, colour]: NamedLine) => {
    const mean = (part: (typeof parts)[number]): number | null => {
      const found = averageOf(serverValuesOf(part, name));
      return found === null ? null : chartValue(found);
    };
    return [label, colour, mean] as const;
  };
  const ours = clientLines(result);
  const own = (result.plan.server?.figures ?? []).map(({ name }, i): ServerChart => [
    [`server-own-${i}`, name, ''],
    [[name, name, ownColours[i % ownColours.length]!]],
  ]);
  return [...commonCharts, ...own]
    .map(([head, named]) => {
      const theirs = chartLines(parts, named.map(lineOf)).filter(hasValues);
      const lines = theirs.length === 0 ? [] : [...(ours[head[0]] ?? []), ...theirs];
      return timeChart(head, bins, lines);
    })
    .filter(({ lines }) => lines.some(({ values }) => values.some(Boolean)));
};
