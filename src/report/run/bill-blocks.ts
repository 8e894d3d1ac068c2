import type { Result } from '../../model/result/result.ts';
import { type Block, column, type Column, list, table } from '../document/document.ts';
import { countText, moneyText, shareText, plural } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import {
  addBounds,
  addCosts,
  type BillItem,
  billItems,
  type BillPart,
  billParts,
  type CostSum,
  costOfMonth,
} from './bill.ts';
import { sumOf } from '../../model/sums.ts';

/**
 * This file shows the bill of a run: the wasted cost, the savings of the cache, the cost of a month, and the cost by
 * key and item.
 */

const itemNames: Readonly<Record<BillItem | 'rounding', string>> = {
  input: 'Input tokens',
  cachedInput: 'Input tokens from a cache',
  cacheWrite: 'Input tokens written to a cache',
  audioInput: 'Input tokens of audio',
  output: 'Output tokens',
  reasoning: 'Reasoning tokens',
  audioOutput: 'Output tokens of audio',
  request: 'Requests',
  speech: 'Speech',
  transcription: 'Transcription',
  rounding: 'Rounding of each answer',
};

const amount = ({ known, unknown, cost }: CostSum): string =>
  known === 0 ? 'unknown' : `${unknown === 0 ? '' : 'at least '}${moneyText(Math.round(cost))}`;

const unknownText = ({ known, unknown }: CostSum, bounds = ''): string =>
  unknown === 0
    ? ''
    : ` (unknown for ${countText(unknown)} of ${countText(known + unknown)}${bounds})`;

/** Formats the bounds of the unknown cost; empty if there are no bounds. */
const boundsText = (parts: readonly BillPart[]): string => {
  const bounds = addBounds(parts);
  if (bounds === null) return '';
  const { least, most } = bounds;
  const prompts = {
    all: ', with prompts as those of completed ones',
    some: ', with prompts where such answers completed, and without those of the others',
    none: ', and the prompts',
  }[bounds.prompts];
  const rest =
    most === null
      ? 'more if the server went on'
      : `at most ${moneyText(Math.round(most))} for all that were asked for`;
  return `; if charged, ${moneyText(Math.round(least))} for the tokens that came, ${rest}${prompts}`;
};

/** Formats a cost, the number of attempts with unknown cost, and the bounds of the unknown cost. */
const amountWithUnknown = (parts: readonly BillPart[]): string => {
  const sum = addCosts(parts);
  return `${amount(sum)}${unknownText(sum, boundsText(parts))}`;
};

const wasteText = (parts: readonly BillPart[]): string | null => {
  const texts = (
    [
      ['failed', 'answers that failed'],
      ['retried', 'attempts before a retry'],
      ['cancelled', 'hang-ups'],
    ] as const
  ).flatMap(([fate, name]) => {
    const own = parts.filter((part) => part.fate === fate);
    return own.length === 0 ? [] : `${name}: ${amountWithUnknown(own)}`;
  });
  return texts.length === 0 ? null : `Wasted, beside the completed answers: ${texts.join(', ')}.`;
};

const tokensOf = (parts: readonly BillPart[], names: readonly BillItem[]): number =>
  sumOf(parts, ({ items }) =>
    sumOf(items, ({ item, tokens }) => (names.includes(item) ? (tokens ?? 0) : 0)),
  );

const cacheText = (parts: readonly BillPart[]): string | null => {
  const cached = tokensOf(parts, ['cachedInput']);
  if (cached + tokensOf(parts, ['cacheWrite']) === 0) return null;
  const prompt = tokensOf(parts, ['input', 'cachedInput', 'cacheWrite', 'audioInput']);
  const saved = Math.round(sumOf(parts, (part) => part.saved));
  const effect =
    saved < 0 ? `cost ${moneyText(-saved)} more than it saved` : `saved ${moneyText(saved)}`;
  const unpriced = sumOf(parts, ({ fullPriceCached }) => fullPriceCached);
  const note =
    unpriced === 0
      ? ''
      : ` ${plural(unpriced, 'cached token')} cost as much as other input, since the price has no \`cachedInput\`.`;
  return `${shareText(cached, prompt)} of the priced prompt tokens came from a cache, which ${effect}.${note}`;
};

export const currencyOf = ({ plan }: Pick<Result, 'plan'>): string =>
  plan.pricing?.currency ?? 'currency units';

/** Formats an extrapolated cost in micro-units with three significant digits, since no forecast is more exact. */
export const roughMoneyText = (cost: number): string =>
  (cost / 1e6).toLocaleString('en-US', { maximumSignificantDigits: 3 });

const monthText = (result: Result, parts: readonly BillPart[]): string | null => {
  const month = costOfMonth(result, parts);
  if (month === null) return null;
  const { cost, known, unknown } = month;
  const rough =
    known === 0
      ? 'unknown'
      : `${unknown === 0 ? 'about' : 'at least'} ${roughMoneyText(cost)} ${currencyOf(result)}`;
  return `A month of 30 days like the measured time: ${rough}${unknownText(month)}.`;
};

const sourceText = ({ plan: { pricing } }: Result): string | null => {
  const { file, date } = pricing ?? {};
  if (file === undefined && date === undefined) return null;
  return `Prices${file === undefined ? '' : ` of ${file}`}: ${date === undefined ? 'without a date' : `as of ${date}`}.`;
};

interface KeyRow {
  readonly key: string;
  readonly parts: readonly BillPart[];
}

const ofFates = ({ parts }: KeyRow, ...fates: readonly BillPart['fate'][]): CostSum =>
  addCosts(parts.filter(({ fate }) => fates.includes(fate)));

const moneyCell = (sum: CostSum): string => (sum.known + sum.unknown === 0 ? '–' : amount(sum));

const keyColumns: readonly Column<KeyRow>[] = [
  column.name('Key', ({ key }) => key),
  column.number('Cost', ({ parts }) => moneyCell(addCosts(parts))),
  column.number('Completed', (row) => moneyCell(ofFates(row, 'completed'))),
  column.number('Wasted', (row) => moneyCell(ofFates(row, 'failed', 'retried', 'cancelled'))),
];

type ItemRow =
  | ReturnType<typeof billItems>[number]
  | { readonly item: 'all'; readonly tokens: null; readonly cost: number };

const itemColumns: readonly Column<ItemRow>[] = [
  column.name('Charged for', ({ item }) => (item === 'all' ? 'All' : itemNames[item])),
  column.number('Tokens', ({ tokens }) => (tokens === null ? '–' : countText(tokens))),
  column.number('Cost', ({ cost }) => `${cost < 0 ? '−' : ''}${moneyText(Math.abs(cost))}`),
];

/** Returns the blocks of the bill; none if the result has no bill. A table with only one row is left out. */
export const billBlocks = (result: Result): readonly (Block | false)[] => {
  const parts = billParts(result);
  if (parts === null) return [];
  const keys = [...Map.groupBy(parts, ({ labels }) => labels.key)].map(([key, own]) => ({
    key,
    parts: own,
  }));
  const items = billItems(parts);
  const hasHangUps = parts.some(({ fate }) => fate === 'cancelled');
  const included = `failures${hasHangUps ? ', hang-ups' : ''} and retries`;
  const sentences = present([
    wasteText(parts),
    cacheText(parts),
    monthText(result, parts),
    sourceText(result),
  ]);
  return [
    sentences.length > 0 && list(sentences),
    keys.length > 1 && table(`The bill by key, ${included} included`, keyColumns, keys),
    items.length > 1 &&
      table<ItemRow>(
        `The bill by what was charged for, ${included} included`,
        itemColumns,
        [...items, { item: 'all', tokens: null, cost: addCosts(parts).cost }],
        { toneOf: ({ item }) => (item === 'all' ? 'strong' : 'plain') },
      ),
  ];
};
