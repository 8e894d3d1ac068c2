import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { CountBounds } from '../../../model/limits/limit-facts.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { cumulativeSums, type Dated } from './count-instants.ts';

/** A charge for a request: an amount from `least` to `most`, made at some moment from `from` to `until`, in ms. */
export interface Charge {
  readonly from: number;
  readonly until: number;
  readonly least: number;
  readonly most: number;
}

export const admissions = (log: readonly LimiterDecision[]): readonly Charge[] =>
  log
    .filter(({ admitted }) => admitted)
    .map(({ sent, answered }) => ({ from: sent, until: answered, least: 1, most: 1 }));

/**
 * Returns the largest total weight of intervals that overlap at one point. Each interval begins `lead` ms before an
 * instant of `starts`, and ends at an instant of `ends`. Both lists ascend.
 */
const maxOverlap = (starts: readonly Dated[], lead: number, ends: readonly Dated[]): number => {
  let depth = 0;
  let most = 0;
  let ended = 0;
  for (const { at, weight } of starts) {
    while (ended < ends.length && ends[ended]!.at < at - lead) {
      depth -= ends[ended]!.weight;
      ended += 1;
    }
    depth += weight;
    most = Math.max(most, depth);
  }
  return most;
};

const edgesOf = (
  charges: readonly Charge[],
  at: 'from' | 'until',
  weight: 'least' | 'most',
): readonly Dated[] => charges.map((charge) => ({ at: charge[at], weight: charge[weight] }));

const sureEdgesOf = (byFrom: readonly Charge[], byUntil: readonly Charge[]) => ({
  surelyFrom: edgesOf(byFrom, 'from', 'least'),
  surelyUntil: edgesOf(byUntil, 'until', 'least'),
});

type SpanCounts = (span: number) => CountBounds;

const createSpanCounts = (charges: readonly Charge[]): SpanCounts => {
  const longest = charges.reduce((most, { from, until }) => Math.max(most, until - from), 0);
  const byFrom = charges.toSorted((a, b) => a.from - b.from);
  const byUntil = charges.toSorted((a, b) => a.until - b.until);
  const all = sureEdgesOf(byFrom, byUntil);
  const maybeFrom = edgesOf(byFrom, 'from', 'most');
  const maybeUntil = edgesOf(byUntil, 'until', 'most');
  return (span) => {
    // If the interval of a charge is longer than the span, the charge does not certainly lie within the span.
    const fits = ({ from, until }: Charge): boolean => until - from <= span;
    const sure = longest <= span ? all : sureEdgesOf(byFrom.filter(fits), byUntil.filter(fits));
    return {
      least: maxOverlap(sure.surelyUntil, span, sure.surelyFrom),
      most: maxOverlap(maybeFrom, span, maybeUntil),
    };
  };
};

/** The span counts of each list. The checks of a key use a list about ten times, so it is sorted only once. */
const countsOfLists = new WeakMap<readonly Charge[], SpanCounts>();

/**
 * Returns a function that computes a lower and an upper bound of the largest amount charged within any span of a given
 * length in ms. The lower bound counts a charge only if it certainly lies within the span. The upper bound counts a
 * charge if it may lie within the span. A charge is counted if the span starts within a certain interval of time. So
 * each bound is the largest total of charges whose intervals overlap at one point. Example: a span of 50 ms contains
 * the charge at 0 ms if the span starts from −50 to 0 ms, the charge at 40 ms if the span starts from −10 to 40 ms, and
 * the charge at 90 ms if the span starts from 40 to 90 ms. So at most two of the charges lie in one span. The list of
 * charges must not change after this call.
 */
export const spanCounts = (charges: readonly Charge[]): SpanCounts => {
  const counts = countsOfLists.get(charges) ?? createSpanCounts(charges);
  countsOfLists.set(charges, counts);
  return counts;
};

export const mostWithin = (charges: readonly Charge[], window: number): CountBounds =>
  spanCounts(charges)(window);

/** Returns a function that computes bounds of the amount charged within the `window` ms before a decision. */
export const chargedBefore = (charges: readonly Charge[]) => {
  const surelyBy = cumulativeSums(edgesOf(charges, 'until', 'least'));
  const surelyFrom = cumulativeSums(edgesOf(charges, 'from', 'least'));
  const maybeBy = cumulativeSums(edgesOf(charges, 'until', 'most'));
  const maybeFrom = cumulativeSums(edgesOf(charges, 'from', 'most'));
  const longestFirst = charges.toSorted((a, b) => b.until - b.from - (a.until - a.from));
  /**
   * Sums the charges whose interval begins before the window and ends after the window. `surelyFrom` subtracts these
   * charges below, but `surelyBy` does not include them. So this sum is added back.
   */
  const straddling = (begin: number, end: number): number => {
    let sum = 0;
    for (const { from, until, least } of longestFirst) {
      if (until - from < end - begin) break;
      if (from < begin && until >= end) sum += least;
    }
    return sum;
  };
  return (
    { sent, answered }: Pick<LedgerEntry, 'sent' | 'answered'>,
    window: number,
  ): CountBounds => {
    const begin = answered - window;
    const least =
      begin > sent ? 0 : surelyBy.before(sent) - surelyFrom.before(begin) + straddling(begin, sent);
    return { least, most: maybeFrom.upTo(answered) - maybeBy.before(sent - window) };
  };
};
