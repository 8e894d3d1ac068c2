import { type Bill, type BillFate, billFates } from '../../model/measures/bill.ts';
import type { Group } from '../../model/measures/counts.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching, measuredTime } from '../../model/result/summary.ts';
import {
  classPrice,
  type Price,
  type TokenClass,
  tokenClasses,
  usualClass,
} from '../../model/workload/price.ts';

/** This file adds up the cost of all attempts of a run. Costs are in millionths of the currency. */

/** A cost, and how many attempts have a known and an unknown cost. */
export type CostSum = Pick<Bill, 'known' | 'unknown' | 'cost'>;

const noCost: CostSum = { known: 0, unknown: 0, cost: 0 };

export const addCosts = (sums: readonly CostSum[]): CostSum =>
  sums.reduce(
    (a, b) => ({ known: a.known + b.known, unknown: a.unknown + b.unknown, cost: a.cost + b.cost }),
    noCost,
  );

/**
 * The bounds of the unknown cost of uncompleted answers. `least` counts the received tokens, and `most` counts the
 * `maxTokens` of the requests. `most` is `null` if a request had no `maxTokens`.
 */
export interface CostBounds {
  readonly least: number;
  readonly most: number | null;
  /**
   * Whether both bounds include the prompts of all, some or none of the answers. The cost of a prompt is estimated from
   * the completed answers of the same group. If a group has no completed answers, the bounds leave out its prompts.
   */
  readonly prompts: 'all' | 'some' | 'none';
}

/** One item of the bill. The items `request`, `speech` and `transcription` have no tokens. */
export type BillItem = TokenClass | 'request' | 'speech' | 'transcription';

/** The part of the bill for one group of requests and one fate. A group has one key, model and kind of traffic. */
export interface BillPart extends CostSum {
  readonly labels: Group['labels'];
  readonly fate: BillFate;
  readonly items: readonly {
    readonly item: BillItem;
    readonly tokens: number | null;
    readonly cost: number;
  }[];
  /**
   * The bounds of what the answers of unknown cost would cost if the provider charges for them; `null` if there are no
   * bounds.
   */
  readonly bounds: CostBounds | null;
  /**
   * The cost that caching saved: what the tokens read from a cache or written to a cache would have cost without
   * caching, minus their actual cost. The number is negative if caching cost more than it saved.
   */
  readonly saved: number;
  /** The number of tokens from a cache that cost as much as uncached input, because the price has no `cachedInput`. */
  readonly fullPriceCached: number;
}

const priceOf = ({ plan }: Result, { traffic, model }: Group['labels']): Price | null => {
  for (const entry of plan.stages.flatMap((stage) => stage.traffic)) {
    if (entry.kind !== 'chat' && entry.kind !== 'chat-stream') continue;
    if (entry.kind === traffic && entry.model === model && entry.price !== null) return entry.price;
  }
  return null;
};

const itemsOf = (
  bill: Bill,
  traffic: Group['labels']['traffic'],
  price: Price | null,
): BillPart['items'] => {
  if (traffic === 'speech' || traffic === 'transcription')
    return [{ item: traffic, tokens: null, cost: bill.cost }];
  const { tokens } = bill;
  if (price === null || tokens === undefined) return [];
  const classes = tokenClasses
    .filter((name) => tokens[name] > 0)
    .map((name) => ({
      item: name,
      tokens: tokens[name],
      cost: (tokens[name] * classPrice(price, name)) / 1e6,
    }));
  return price.request === undefined
    ? classes
    : [...classes, { item: 'request', tokens: null, cost: bill.known * price.request }];
};

const inputClasses = ['input', 'cachedInput', 'cacheWrite', 'audioInput'] as const;
const outputClasses = ['output', 'reasoning'] as const;

/**
 * Returns the mean cost of a completed answer's prompt (`usual`), and the highest mean cost that such a prompt can have
 * without cache hits (`uncached`).
 */
const promptCost = (completed: Bill | undefined, price: Price) => {
  if (completed?.tokens === undefined || completed.known === 0) return null;
  const { tokens, known } = completed;
  const meanAt = (priceOfClass: (name: TokenClass) => number): number =>
    inputClasses.reduce((sum, name) => sum + (tokens[name] * priceOfClass(name)) / 1e6, 0) / known;
  const [usual, uncached] = [
    meanAt((name) => classPrice(price, name)),
    // Without a cache hit, a prompt may be written to the cache, so the price of writing counts if it is higher.
    meanAt((name) =>
      Math.max(
        ...[name, usualClass[name], name === 'audioInput' ? name : 'cacheWrite'].map((each) =>
          classPrice(price, each as TokenClass),
        ),
      ),
    ),
  ];
  return { usual, uncached };
};

const boundsOf = (
  { unreported, unknown }: Bill,
  completed: Bill | undefined,
  price: Price | null,
): CostBounds | null => {
  if (unreported === undefined || price === null) return null;
  const { received, asked, unlimited } = unreported;
  const prices = outputClasses.map((name) => classPrice(price, name));
  const prompts = promptCost(completed, price);
  const [usual, uncached] = [prompts?.usual ?? 0, prompts?.uncached ?? 0].map(
    (prompt) => prompt + (price.request ?? 0),
  ) as [number, number];
  return {
    least: (received * Math.min(...prices)) / 1e6 + unknown * usual,
    most: unlimited > 0 ? null : (asked * Math.max(...prices)) / 1e6 + unknown * uncached,
    prompts: prompts === null ? 'none' : 'all',
  };
};

/** Adds up the bounds of all parts with an unknown cost; `null` if a part with an unknown cost has no bounds. */
export const addBounds = (parts: readonly BillPart[]): CostBounds | null => {
  const all = parts.flatMap(({ unknown, bounds }) => (unknown === 0 ? [] : [bounds]));
  if (all.length === 0) return null;
  return all.reduce((a, b) =>
    a === null || b === null
      ? null
      : {
          least: a.least + b.least,
          most: a.most === null || b.most === null ? null : a.most + b.most,
          prompts: a.prompts === b.prompts ? a.prompts : 'some',
        },
  );
};

const partOf = (result: Result, { labels, bills }: Group, fate: BillFate, bill: Bill): BillPart => {
  const price = priceOf(result, labels);
  const [cached, written] = [bill.tokens?.cachedInput ?? 0, bill.tokens?.cacheWrite ?? 0];
  const moreThan = (name: TokenClass): number =>
    price === null ? 0 : price[usualClass[name]] - classPrice(price, name);
  return {
    known: bill.known,
    unknown: bill.unknown,
    cost: bill.cost,
    labels,
    fate,
    items: itemsOf(bill, labels.traffic, price),
    bounds: boundsOf(bill, bills?.completed, price),
    saved: (cached * moreThan('cachedInput') + written * moreThan('cacheWrite')) / 1e6,
    fullPriceCached: price !== null && price.cachedInput === undefined ? cached : 0,
  };
};

/** Returns the parts of a run's bill; `null` for a result of an older version without a bill. */
export const billParts = (result: Result): readonly BillPart[] | null => {
  const groups = groupsMatching(result, ({ traffic }) => traffic !== 'models');
  if (groups.some(({ bills }) => bills === undefined)) return null;
  return groups.flatMap((group) =>
    billFates.flatMap((fate) => {
      const bill = group.bills?.[fate];
      return bill === undefined ? [] : [partOf(result, group, fate, bill)];
    }),
  );
};

/** The hours of a month of 30 days. */
export const hoursPerMonth = 30 * 24;

/** Returns the cost of 30 days of the measured load; `null` if nothing was measured or no cost is known. */
export const costOfMonth = (result: Result, parts: readonly BillPart[]): CostSum | null => {
  const seconds = measuredTime(result);
  const measured = addCosts(parts.filter(({ labels }) => !labels.warmUp));
  if (seconds === null || measured.known === 0) return null;
  return { ...measured, cost: (measured.cost / seconds) * hoursPerMonth * 3600 };
};

const itemOrder: readonly BillItem[] = [...tokenClasses, 'request', 'speech', 'transcription'];

/**
 * Returns the cost of some parts by item. The costs of single answers are rounded, so the sum of the items can differ
 * from the whole cost. If so, a last item `rounding` contains the difference.
 */
export const billItems = (parts: readonly BillPart[]) => {
  const all = parts.flatMap(({ items }) => items);
  const byItem = [...Map.groupBy(all, ({ item }) => item)].toSorted(
    ([a], [b]) => itemOrder.indexOf(a) - itemOrder.indexOf(b),
  );
  const rows = byItem.map(([item, own]) => ({
    item: item as BillItem | 'rounding',
    tokens: own.every(({ tokens }) => tokens === null)
      ? null
      : own.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
    cost: Math.round(own.reduce((sum, { cost }) => sum + cost, 0)),
  }));
  const rounding = addCosts(parts).cost - rows.reduce((sum, { cost }) => sum + cost, 0);
  return rounding === 0
    ? rows
    : [...rows, { item: 'rounding' as const, tokens: null, cost: rounding }];
};
