import { type Ledger, toLedgerEntry } from '../../../model/observation/ledger.ts';
import type { Result } from '../../../model/result/result.ts';
import { type Bins, chartLines, chartMarks, countBins, hasValues, intoBins } from './bins.ts';
import type { Chart } from './chart.ts';

/** With hundreds of keys, a chart for each helps nobody; the table has them all. */
export const maxChartedKeys = 12;

const lowestValue = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));

/** The number of requests that succeeded within the minute before each bin's end. */
const admittedInLastMinute = (
  entries: readonly { readonly second: number; readonly status: number }[],
  { step, count }: Bins,
): readonly number[] => {
  const admitted = entries.filter(({ status }) => status >= 200 && status < 300);
  const perSecond = intoBins(admitted, { step: 1, count: step * count });
  return Array.from({ length: count }, (_, bin) => {
    const end = (bin + 1) * step;
    return perSecond.slice(Math.max(0, end - 60), end).flat().length;
  });
};

const keyChart = (result: Result, { key, rows }: Ledger, index: number): Chart => {
  const bins = countBins(result);
  const entries = rows
    .map(toLedgerEntry)
    .filter(({ status }) => status > 0)
    .map((entry) => ({ ...entry, second: Math.max(0, Math.floor(entry.answered / 1000)) }));
  const parts = intoBins(entries, bins);
  const admitted = admittedInLastMinute(entries, bins);
  const limit = result.plan.limits.requestsPerMinute;
  const lines = chartLines(parts, [
    [
      'lowest remaining',
      'p50',
      (part) => lowestValue(part.flatMap(({ remainingRequests }) => remainingRequests ?? [])),
      'strong',
    ],
    ['admitted within the last minute', 'completed', (_, bin) => admitted[bin]!],
    ['limit per minute', 'p95', () => limit, 'dashed'],
  ]);
  return {
    id: `key-${index}`,
    title: `Key ${key}: admitted requests, and remaining by header`,
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: limit === null ? lines.slice(0, -1) : lines,
    marks: chartMarks(parts, [
      ['limited', 'limited', (part) => part.filter(({ status }) => status === 429).length],
    ]),
  };
};

/** The admitted requests, the reported remaining quota and the 429s of each key over time; keys without any have no chart. */
export const keyCharts = (result: Result): readonly Chart[] =>
  result.ledger
    .slice(0, maxChartedKeys)
    .map((ledger, index) => keyChart(result, ledger, index))
    .filter(({ lines, marks }) => marks.length > 0 || hasValues(lines[0]!));
