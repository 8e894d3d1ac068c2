import type { Decision } from '../../model/limit-log.ts';
import type { Bounds } from '../../model/limit-report.ts';

/** The largest number of closed intervals `[from, to]` that have a point in common; empty ones count nothing. */
const deepest = (intervals: readonly (readonly [from: number, to: number])[]): number => {
  const edges = intervals
    .filter(([from, to]) => from <= to)
    .flatMap(([from, to]) => [
      { at: from, step: 1 },
      { at: to, step: -1 },
    ])
    // At one point those that begin come before those that end.
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
 * How many requests were admitted within some `window` milliseconds, at its fullest, wherever it
 * lies. A window that begins at t holds a request surely if it was sent after t and answered before
 * t + window, and possibly if its interval touches that time at all; so each request gives an
 * interval of such t, and the answer is the depth where most of them overlap.
 */
export const mostAdmittedWithin = (log: readonly Decision[], window: number): Bounds => {
  const admitted = log.filter((decision) => decision.admitted);
  return {
    least: deepest(admitted.map(({ sent, answered }) => [answered - window, sent] as const)),
    most: deepest(admitted.map(({ sent, answered }) => [sent - window, answered] as const)),
  };
};

/** How many requests were admitted within the `window` milliseconds before the decision on `decision`. */
export const admittedBefore = (
  log: readonly Decision[],
  { sent, answered }: Decision,
  window: number,
): Bounds => {
  const others = log.filter((other) => other.admitted);
  return {
    least: others.filter((other) => other.sent >= answered - window && other.answered <= sent)
      .length,
    most: others.filter((other) => other.answered >= sent - window && other.sent <= answered)
      .length,
  };
};
