import type { Labels } from '../model/measures/counts.ts';
import type { Histogram } from '../model/measures/histogram.ts';
import { reportedQuantiles } from '../model/measures/headline.ts';
import { type MeasureName, measures } from '../model/measures/measures.ts';
import { quantile } from '../model/measures/quantile.ts';
import type { Result } from '../model/result/result.ts';
import {
  distributionOf,
  groupsMatching,
  outsideWarmUp,
  measuresPresent,
  type LabelFilter,
} from '../model/result/summary.ts';
import type { FigureError, Trust } from '../model/result/verdict.ts';
import { figureErrorOf, isWithheld, kindsPresent, measuredOf, sumOf } from './summary/figures.ts';
import { arrivalCounts } from './summary/outcome-text.ts';
import { measuredRates } from './summary/rates.ts';

/**
 * A run's figures as a table in long form (RFC 4180): one value per row, so that a spreadsheet or
 * a data frame can pivot it. Empty labels mean all; the warm-up is left out. The last rows repeat the
 * figures for each group of labels, without their measurement errors, which are known by kind of traffic.
 */

const columns = [
  'traffic',
  'model',
  'key',
  'stage',
  'figure',
  'statistic',
  'value',
  'unit',
  'n',
  'low',
  'high',
  'entry',
  'error_low',
  'error_high',
] as const;
type Row = Readonly<Partial<Record<(typeof columns)[number], string | number | null | undefined>>>;

const cell = (value: string | number | null | undefined): string => {
  const text = String(value ?? '');
  // A spreadsheet would run a text that begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const arrivalRows = (result: Result, where: LabelFilter): readonly Row[] => {
  const groups = groupsMatching(result, where);
  const counts = arrivalCounts(groups);
  const good = sumOf(groups, (group) => group.good?.all ?? 0);
  const figures = result.plan.perRequest.length === 0 ? counts : { ...counts, good };
  return Object.entries(figures).map(([figure, value]) => {
    return { figure, statistic: 'count', value, unit: 'arrivals', n: counts.due };
  });
};

/** Where the true value lies: without an upper bound, only `error_low` has a value. */
const errorCells = (error: FigureError | null): Row =>
  error === null
    ? {}
    : { error_low: error.low, error_high: Number.isFinite(error.high) ? error.high : null };

type ErrorOf = (measure: MeasureName, q: number) => FigureError | null;

const statisticRows = (
  figure: MeasureName,
  unit: string,
  histogram: Histogram,
  errorOf: ErrorOf,
): readonly Row[] => {
  const { count: n, mean, min, max } = histogram;
  const percentiles = reportedQuantiles.flatMap((q) => {
    const found = quantile(histogram, q);
    if (found === null) return [];
    const { value, low, high } = found;
    const error = errorCells(errorOf(figure, q));
    return { figure, unit, n, statistic: `p${q * 100}`, value, low, high, ...error };
  });
  return [
    ...Object.entries({ mean, min, max })
      .filter(([, value]) => value !== null)
      .map(([statistic, value]) => ({ figure, unit, n, statistic, value })),
    ...percentiles,
  ];
};

const measureRows = (
  result: Result,
  trust: Trust,
  where: LabelFilter,
  errorOf: ErrorOf,
): readonly Row[] =>
  measuresPresent(result, where)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) =>
      statisticRows(name, measures[name].unit, distributionOf(result, name, where), errorOf),
    );

const rateRows = (result: Result): readonly Row[] => {
  const found = measuredRates(result);
  if (found === null) return [];
  const { offered, sent, completed, inputTokens, outputTokens } = found;
  return Object.entries({ offered, sent, completed, inputTokens, outputTokens })
    .filter(([, value]) => value !== null)
    .map(([figure, value]) => {
      const unit = figure.endsWith('Tokens') ? 'tokens/s' : '/s';
      return { figure, statistic: 'rate', value, unit };
    });
};

/** All figures of a run. Distributions never mix kinds of traffic; arrivals are also counted for all traffic. */
export const runFiguresCsv = (result: Result, trust: Trust): string => {
  const groups = groupsMatching(result, outsideWarmUp).map(({ labels }) => labels);
  const rowsOf = (scope: Partial<Labels>, where: LabelFilter, errorOf: ErrorOf): readonly Row[] =>
    [...arrivalRows(result, where), ...measureRows(result, trust, where, errorOf)].map((row) => {
      return { ...scope, ...row };
    });
  const rows: readonly Row[] = [
    ...arrivalRows(result, outsideWarmUp),
    ...rateRows(result),
    ...kindsPresent(result).flatMap((traffic) =>
      rowsOf({ traffic }, measuredOf(traffic), (measure, q) =>
        figureErrorOf(trust, traffic, measure, q),
      ),
    ),
    ...groups.flatMap((own) =>
      rowsOf(
        own,
        (labels) => labels === own,
        () => null,
      ),
    ),
  ];
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
};
