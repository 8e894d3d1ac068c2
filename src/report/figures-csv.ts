import type { Labels } from '../model/measures/counts.ts';
import { outcomeKinds } from '../model/observation/outcome.ts';
import type { Histogram } from '../model/measures/histogram.ts';
import { measures } from '../model/measures/measures.ts';
import { quantile } from '../model/measures/quantile.ts';
import type { Result } from '../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../model/measures/outcome-counts.ts';
import {
  distributionOf,
  groupsMatching,
  outsideWarmUp,
  measuresPresent,
  type LabelFilter,
} from '../model/result/summary.ts';
import type { Trust } from '../model/result/verdict.ts';
import { isWithheld, kindsPresent, reportedQuantiles } from './summary/figures.ts';
import { measuredRates } from './summary/rates.ts';

/**
 * A run's figures as a table in long form (RFC 4180): one value per row, so that a spreadsheet or
 * a data frame can pivot it. Empty labels mean all; the warm-up is left out. The last rows repeat the
 * figures for each group of labels.
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
] as const;

type Scope = Pick<Labels, 'model' | 'entry' | 'key' | 'stage'> & { readonly traffic: string };

const noLabels: Scope = { traffic: '', model: '', key: '', stage: '' };

interface Row {
  readonly figure: string;
  readonly statistic: string;
  readonly value: number;
  readonly unit: string;
  readonly n?: number;
  readonly low?: number | null;
  readonly high?: number | null;
}

const cell = (value: string | number | null | undefined): string => {
  const text = String(value ?? '');
  // A spreadsheet would run a text that begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const line = (scope: Scope, row: Row): string =>
  [
    scope.traffic,
    scope.model,
    scope.key,
    scope.stage,
    row.figure,
    row.statistic,
    row.value,
    row.unit,
    row.n,
    row.low,
    row.high,
    scope.entry,
  ]
    .map(cell)
    .join(',');

const arrivalRows = (result: Result, where: LabelFilter): readonly Row[] => {
  const groups = groupsMatching(result, where);
  const outcomes = sumOutcomes(groups);
  const due = countArrivals(outcomes);
  const count = (figure: string, value: number): Row => ({
    figure,
    statistic: 'count',
    value,
    unit: 'arrivals',
    n: due,
  });
  return [
    count('due', due),
    count(
      'sent',
      groups.reduce((sum, { sent }) => sum + sent, 0),
    ),
    ...outcomeKinds.map((kind) => count(kind, outcomes[kind])),
    ...(result.plan.perRequest.length === 0
      ? []
      : [
          count(
            'good',
            groups.reduce((sum, { good }) => sum + (good?.all ?? 0), 0),
          ),
        ]),
  ];
};

const statisticRows = (figure: string, unit: string, histogram: Histogram): readonly Row[] => {
  const of = { figure, unit, n: histogram.count };
  const plain = (['mean', 'min', 'max'] as const).flatMap((statistic): Row[] => {
    const value = histogram[statistic];
    return value === null ? [] : [{ ...of, statistic, value }];
  });
  const percentiles = reportedQuantiles.flatMap((q): Row[] => {
    const found = quantile(histogram, q);
    if (found === null) return [];
    const { value, low, high } = found;
    return [{ ...of, statistic: `p${q * 100}`, value, low, high }];
  });
  return [...plain, ...percentiles];
};

const measureRows = (result: Result, trust: Trust, where: LabelFilter): readonly Row[] =>
  measuresPresent(result, where)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) =>
      statisticRows(name, measures[name].unit, distributionOf(result, name, where)),
    );

const rateRows = (result: Result): readonly Row[] => {
  const found = measuredRates(result);
  if (found === null) return [];
  const { offered, sent, completed, inputTokens, outputTokens } = found;
  return Object.entries({ offered, sent, completed, inputTokens, outputTokens }).flatMap(
    ([figure, value]): Row[] =>
      value === null
        ? []
        : [
            {
              figure,
              statistic: 'rate',
              value,
              unit: figure.endsWith('Tokens') ? 'tokens/s' : '/s',
            },
          ],
  );
};

/** All figures of a run. Distributions never mix kinds of traffic; arrivals are also counted for all traffic. */
export const runFiguresCsv = (result: Result, trust: Trust): string => {
  const kinds = kindsPresent(result);
  const groups = groupsMatching(result, outsideWarmUp).map(({ labels }) => labels);
  const rowsOf = (scope: Scope, where: LabelFilter): readonly string[] =>
    [...arrivalRows(result, where), ...measureRows(result, trust, where)].map((row) =>
      line(scope, row),
    );
  return [
    columns.join(','),
    ...[...arrivalRows(result, outsideWarmUp), ...rateRows(result)].map((row) =>
      line(noLabels, row),
    ),
    ...kinds.flatMap((traffic) =>
      rowsOf(
        { ...noLabels, traffic },
        (labels) => outsideWarmUp(labels) && labels.traffic === traffic,
      ),
    ),
    ...groups.flatMap((own) => rowsOf(own, (labels) => labels === own)),
    '',
  ].join('\r\n');
};
