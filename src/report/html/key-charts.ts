import { type Ledger, type LedgerEntry, ledgerEntry } from '../../model/ledger.ts';
import type { Result } from '../../model/result.ts';
import { countBins, dealt } from './bins.ts';
import type { Chart } from './chart.ts';

/** A page with a chart for each of hundreds of keys helps nobody; the table has them all. */
export const chartedKeys = 12;

const lowest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));

const keyChart = (result: Result, { key, rows }: Ledger, index: number): Chart => {
  const bins = countBins(result);
  const parts = dealt(
    rows
      .map(ledgerEntry)
      .filter(({ status }) => status > 0)
      .map((entry) => ({ second: Math.max(0, Math.floor(entry.answered / 1000)), entry })),
    bins,
  );
  const perBin = <T>(of: (entries: readonly LedgerEntry[]) => T): readonly T[] =>
    parts.map((part) => of(part.map(({ entry }) => entry)));
  return {
    id: `key-${index}`,
    title: `Key ${key}: requests left by header`,
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: [
      {
        label: 'lowest remaining',
        colour: 'p50',
        style: 'strong',
        values: perBin((part) =>
          lowest(part.flatMap(({ remainingRequests }) => remainingRequests ?? [])),
        ),
      },
    ],
    marks: [
      {
        label: 'limited',
        colour: 'limited' as const,
        values: perBin((part) => part.filter(({ status }) => status === 429).length),
      },
    ].filter(({ values }) => values.some((value) => value > 0)),
  };
};

/** What each key was told to have left, and its 429s, over time; keys that were told neither have no chart. */
export const keyCharts = (result: Result): readonly Chart[] =>
  result.ledger
    .slice(0, chartedKeys)
    .map((ledger, index) => keyChart(result, ledger, index))
    .filter(
      ({ lines, marks }) =>
        marks.length > 0 || lines.some(({ values }) => values.some((value) => value !== null)),
    );
