import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { CountBounds } from '../../../model/limits/limit-facts.ts';

/**
 * The charge of a request: an amount between `least` and `most` at an unknown moment between `from` and `until`, in ms.
 */
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
interface Edge {
  readonly at: number;
  readonly weight: number;
}

/**
 * Returns the largest total weight of closed intervals that share a point. The intervals start `lead` ms before
 * `starts` and end at `ends`; both lists ascend.
 */
const maxOverlap = (starts: readonly Edge[], lead: number, ends: readonly Edge[]): number => {
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

const sortEdges = (edges: readonly Edge[]): readonly Edge[] =>
  edges.toSorted((a, b) => a.at - b.at);

/**
 * Creates a function that returns the maximum charged within any span of a length in ms. A span that starts at t
 * certainly contains each charge that is wholly within it, and possibly each that overlaps it. So each charge yields an
 * interval of such t, and the answer is the maximum overlap of these intervals.
 */
export const spanCounts = (charges: readonly Charge[]): ((span: number) => CountBounds) => {
  const longest = charges.reduce((most, { from, until }) => Math.max(most, until - from), 0);
  const edgesOf = (known: readonly Charge[]) => ({
    surelyFrom: sortEdges(known.map(({ from, least }) => ({ at: from, weight: least }))),
    surelyUntil: sortEdges(known.map(({ until, least }) => ({ at: until, weight: least }))),
  });
  const all = edgesOf(charges);
  const maybeFrom = sortEdges(charges.map(({ from, most }) => ({ at: from, weight: most })));
  const maybeUntil = sortEdges(charges.map(({ until, most }) => ({ at: until, weight: most })));
  return (span) => {
    // A charge that may have taken longer than the span is not certainly within it.
    const sure =
      longest <= span ? all : edgesOf(charges.filter(({ from, until }) => until - from <= span));
    return {
      least: maxOverlap(sure.surelyUntil, span, sure.surelyFrom),
      most: maxOverlap(maybeFrom, span, maybeUntil),
    };
  };
};

/** Returns the maximum charged within any `window` ms. */
export const mostWithin = (charges: readonly Charge[], window: number): CountBounds =>
  spanCounts(charges)(window);

const cumulativeSums = (parts: readonly (readonly [moment: number, amount: number])[]) => {
  const ascending = parts.toSorted(([a], [b]) => a - b);
  const moments = Float64Array.from(ascending, ([moment]) => moment);
  const sums = new Float64Array(ascending.length + 1);
  for (const [i, [, amount]] of ascending.entries()) sums[i + 1] = sums[i]! + amount;
  const sumWhere = (isIn: (moment: number) => boolean): number => {
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isIn(moments[middle]!)) low = middle + 1;
      else high = middle;
    }
    return sums[low]!;
  };
  return {
    before: (moment: number): number => sumWhere((other) => other < moment),
    upTo: (moment: number): number => sumWhere((other) => other <= moment),
  };
};

/** Creates a function that returns the amount charged within the `window` ms before a decision. */
export const chargedBefore = (charges: readonly Charge[]) => {
  const surelyBy = cumulativeSums(charges.map(({ until, least }) => [until, least]));
  const surelyFrom = cumulativeSums(charges.map(({ from, least }) => [from, least]));
  const maybeBy = cumulativeSums(charges.map(({ until, most }) => [until, most]));
  const maybeFrom = cumulativeSums(charges.map(({ from, most }) => [from, most]));
  const longest = charges.reduce((most, { from, until }) => Math.max(most, until - from), 0);
  const straddling = (begin: number, end: number): number =>
    // Charges that start before the window and end after it are in neither sum.
    end - begin > longest
      ? 0
      : charges
          .filter(({ from, until }) => from < begin && until >= end)
          .reduce((sum, { least }) => sum + least, 0);
  return (
    { sent, answered }: { readonly sent: number; readonly answered: number },
    window: number,
  ): CountBounds => {
    const begin = answered - window;
    const least =
      begin > sent ? 0 : surelyBy.before(sent) - surelyFrom.before(begin) + straddling(begin, sent);
    return { least, most: maybeFrom.upTo(answered) - maybeBy.before(sent - window) };
  };
};
