import type { Result } from '../../model/result/result.ts';
import { addBounds, type BillPart, billItems, billParts } from './bill.ts';
import { csvCell } from '../text/csv.ts';

const columns = [
  'key',
  'model',
  'kind',
  'warm_up',
  'fate',
  'item',
  'tokens',
  'cost',
  'currency',
  'known',
  'unknown',
  'if_charged_least',
  'if_charged_most',
  'prompts_in_both',
] as const;
type Row = Readonly<Record<(typeof columns)[number], string | number | boolean | null>>;

/**
 * Returns a row for each item, or one row `unknown` if there are no items. The first row also has the counts of the
 * attempts, and the bounds of the unknown cost.
 */
const rowsOf = (parts: readonly BillPart[], currency: string): readonly Row[] => {
  const [{ labels, fate }] = parts as readonly [BillPart];
  const [known, unknown] = [
    parts.reduce((sum, part) => sum + part.known, 0),
    parts.reduce((sum, part) => sum + part.unknown, 0),
  ];
  const items = billItems(parts);
  const bounds = addBounds(parts);
  const inCurrency = (cost: number | null | undefined): number | null =>
    cost === null || cost === undefined ? null : Math.round(cost) / 1e6;
  const common = {
    key: labels.key,
    model: labels.model,
    kind: labels.traffic,
    warm_up: labels.warmUp,
    fate,
    currency,
  };
  const rows = items.length === 0 ? [{ item: 'unknown', tokens: null, cost: null }] : items;
  return rows.map(({ item, tokens, cost }, index) => ({
    ...common,
    item,
    tokens,
    cost: cost === null ? null : cost / 1e6,
    known: index === 0 ? known : null,
    unknown: index === 0 ? unknown : null,
    if_charged_least: index === 0 ? inCurrency(bounds?.least) : null,
    if_charged_most: index === 0 ? inCurrency(bounds?.most) : null,
    prompts_in_both: index === 0 ? (bounds?.prompts ?? null) : null,
  }));
};

/**
 * Writes the bill of a run as a table for a spreadsheet (RFC 4180). The sum of the column `cost` is the known cost of
 * the run.
 */
export const runBillCsv = (result: Result): string => {
  const parts = billParts(result) ?? [];
  const byPart = Map.groupBy(parts, ({ labels: { key, model, traffic, warmUp }, fate }) =>
    JSON.stringify([key, model, traffic, warmUp, fate]),
  );
  const rows = [...byPart.values()].flatMap((own) =>
    rowsOf(own, result.plan.pricing?.currency ?? ''),
  );
  const lines = rows.map((row) => columns.map((name) => csvCell(row[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
};
