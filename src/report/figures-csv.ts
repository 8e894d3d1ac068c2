import {
  headlineMeasures,
  reportedQuantiles,
  percentileName,
  reportedPercentiles,
} from '../model/measures/headline.ts';
import { type MeasureName, measures } from '../model/measures/measures.ts';
import type { Result } from '../model/result/result.ts';
import {
  figuresOver,
  groupsMatching,
  type LabelFilter,
  outsideWarmUp,
} from '../model/result/summary.ts';
import type { Trust } from '../model/result/verdict.ts';
import type { TrafficKind } from '../model/workload/traffic.ts';
import { figureErrorOf, isWithheld, kindsPresent, measuredOf } from './summary/figures.ts';
import { arrivalCounts } from './summary/outcome-text.ts';
import { measuredRates } from './summary/rates.ts';
import { csvCell } from './text/csv.ts';

const columns = [
  'traffic',
  'entry',
  'measure',
  'unit',
  'due',
  'completed',
  'limited',
  'failed',
  'n',
  'mean',
  ...reportedPercentiles,
  'max',
  'p95_low',
  'p95_high',
  'p95_error_low',
  'p95_error_high',
] as const;
type Row = Readonly<Partial<Record<(typeof columns)[number], string | number | null | undefined>>>;

/** Rounds to four digits, since no run can measure more. */
const rounded = (value: number | null | undefined): number | null =>
  value === null || value === undefined || !Number.isFinite(value)
    ? null
    : Number(value.toPrecision(4));

/**
 * Returns how many arrivals were due, completed, were limited (status 429), or failed. `failed` counts every arrival
 * that did not complete, including limited requests and requests that the client cancelled.
 */
const countsOf = (result: Result, where: LabelFilter): Row => {
  const { due, completed, limited } = arrivalCounts(groupsMatching(result, where));
  return { due, completed, limited, failed: due - completed };
};

const rateRows = (result: Result): readonly Row[] => {
  const rates = measuredRates(result);
  if (rates === null) return [];
  const { offered, sent, completed, inputTokens, outputTokens } = rates;
  const counts = countsOf(result, outsideWarmUp);
  return Object.entries({ offered, sent, completed, inputTokens, outputTokens })
    .filter(([, rate]) => rate !== null)
    .map(([measure, rate]) => {
      const unit = measure.endsWith('Tokens') ? 'tokens/s' : '/s';
      return { traffic: 'all', measure, unit, ...counts, mean: rounded(rate) };
    });
};

interface Subject {
  readonly traffic: TrafficKind;
  /** The name of the traffic entry; empty for all entries of the kind. */
  readonly entry: string;
  readonly where: LabelFilter;
}

const measureRow = (
  result: Result,
  trust: Trust,
  { traffic, entry, where }: Subject,
  measure: MeasureName,
): Row => {
  const figures = figuresOver(result, measure, where);
  const found = reportedQuantiles.map((q) => [q, figures.percentile(q)] as const);
  const [, p95] = found.find(([q]) => q === 0.95)!;
  // Errors are only computed for a whole kind of traffic, so the row of a single traffic entry has no error.
  const error = entry === '' ? figureErrorOf(trust, traffic, measure, 0.95) : null;
  return {
    traffic,
    entry,
    measure,
    unit: measures[measure].unit,
    ...countsOf(result, where),
    n: figures.count,
    mean: rounded(figures.mean),
    ...Object.fromEntries(found.map(([q, figure]) => [percentileName(q), rounded(figure?.value)])),
    max: rounded(figures.max),
    p95_low: rounded(p95?.low),
    p95_high: rounded(p95?.high),
    p95_error_low: rounded(error?.low),
    p95_error_high: rounded(error?.high),
  };
};

/** Returns the subjects of the rows: each kind of traffic, followed by the entries of the kind if it has several. */
const subjectsOf = (result: Result): readonly Subject[] =>
  kindsPresent(result).flatMap((traffic) => {
    const ofKind = measuredOf(traffic);
    const names = new Set(groupsMatching(result, ofKind).map(({ labels }) => labels.entry ?? ''));
    const entries = [...names].filter((name) => names.size > 1 && name !== '');
    const ofEntry = (entry: string): Subject => ({
      traffic,
      entry,
      where: (labels) => ofKind(labels) && labels.entry === entry,
    });
    return [{ traffic, entry: '', where: ofKind }, ...entries.map(ofEntry)];
  });

/**
 * Writes the rates and headline figures of the time after the warm-up as CSV (RFC 4180). A figure is left out if
 * problems of the load generator make it worthless.
 */
export const runFiguresCsv = (result: Result, trust: Trust): string => {
  const rows: readonly Row[] = [
    ...rateRows(result),
    ...subjectsOf(result).flatMap((subject) =>
      headlineMeasures[subject.traffic]
        .filter((name) => !isWithheld(name, trust))
        .map((name) => measureRow(result, trust, subject, name)),
    ),
  ];
  const lines = rows.map((row) => columns.map((name) => csvCell(row[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
};
