import type { LimiterDecision, LimitFinding, LimitRule } from '../../../model/limits/limit-log.ts';
import type { CountBounds, LimitFacts } from '../../../model/limits/limit-report.ts';

/**
 * What a request was charged, between `least` and `most`, at an unknown moment between `from` and
 * `until`.
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

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** The maximum sum of weights of closed intervals `[from, to]` with a common point; empty intervals are ignored. */
const maxOverlap = (intervals: readonly Interval[]): number => {
  const edges = intervals
    .filter(({ from, to }) => from <= to)
    .flatMap(({ from, to, weight }) => [
      { at: from, step: weight },
      { at: to, step: -weight },
    ])
    // At the same point starts come before ends.
    .toSorted((a, b) => a.at - b.at || b.step - a.step);
  let depth = 0;
  let most = 0;
  for (const { step } of edges) {
    depth += step;
    most = Math.max(most, depth);
  }
  return most;
};

/**
 * The maximum charged within any `window` milliseconds. A window that starts at t certainly contains a
 * charge that is wholly within t … t + window, and possibly one that overlaps it. Each charge yields an
 * interval of such t; the answer is the maximum overlap.
 */
export const mostWithin = (charges: readonly Charge[], window: number): CountBounds => ({
  least: maxOverlap(
    charges.map(({ from, until, least }) => ({ from: until - window, to: from, weight: least })),
  ),
  most: maxOverlap(
    charges.map(({ from, until, most }) => ({ from: from - window, to: until, weight: most })),
  ),
});

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

/** Computes the amount charged within the `window` milliseconds before a decision. */
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

/** Gateways count in whole seconds: a window of a minute can be a second shorter or longer. */
export const windowTolerance = (window: number): number => window / 60;

/** A claim that one counterexample refutes. */
export const findingOf = (proved: boolean, refuted: boolean): LimitFinding =>
  refuted ? 'refuted' : proved ? 'proved' : 'undecided';

/** The facts of a log, in any order, under a declared limit. */
export const limitFacts = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): LimitFacts => {
  const shorter = window - windowTolerance(window);
  const longer = window + windowTolerance(window);
  const charges = admissions(log);
  const admittedBefore = chargedBefore(charges);
  const before = log.flatMap((decision, place) => {
    if (decision.admitted) return [];
    const [least, most] = [admittedBefore(decision, shorter), admittedBefore(decision, longer)];
    return [{ place, shorter: least, longer: most }];
  });
  const withRoom = before.filter((refusal) => refusal.longer.most < limit);
  return {
    mostAdmitted: mostWithin(charges, window),
    overAdmitted: findingOf(
      mostWithin(charges, shorter).least > limit,
      mostWithin(charges, longer).most <= limit,
    ),
    refusedWithRoom: findingOf(
      withRoom.length > 0,
      before.every((refusal) => refusal.shorter.least >= limit),
    ),
    refusalsWithRoom: withRoom.map(({ place }) => place),
    lockedOut: findingOf(
      before.some((refusal) => refusal.longer.most === 0),
      before.every((refusal) => refusal.shorter.least > 0),
    ),
  };
};

/** A retry time compared with when the key was admitted again. */
export type WaitAccuracy = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/** Servers report whole seconds. */
export const retryAfterTolerance = 1000;

/** The last request that was still refused, and the next one that was admitted. */
interface RefusalFollowUp {
  readonly stillRefused: number;
  /** The first byte of its answer; `null` if nothing was admitted again. */
  readonly admittedAgain: number | null;
}

/** `deceptive`: the key was still refused after the promised time; `conservative`: it was admitted long before. Instants in ms. */
export const retryAfterAccuracyOf = (
  promised: number,
  { stillRefused, admittedAgain }: RefusalFollowUp,
): WaitAccuracy => {
  if (promised < stillRefused - retryAfterTolerance) return 'deceptive';
  if (admittedAgain === null) return 'unknown';
  return promised > admittedAgain + retryAfterTolerance ? 'conservative' : 'exact';
};
