import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { Fitted } from '../../../model/limits/limiter-fit.ts';
import { longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { countBefore } from './decision-history.ts';

/** So many waits in a row show a pace. */
const minWaits = 10;
/** The share of its estimates on each side that are left out of a pace's interval: a machine that pauses delays some answers. */
const leftOut = 0.1;
/** A queue that sleeps between two requests is late by up to so many ms each time. */
const timerLateness = 2;
/** A server without a queue is no faster under load than its answers to single requests; a queue lets these through at once, within this share of the time between two requests. */
const promptShare = 0.5;

/** The longest runs of answers, in ms, between two of which the later one certainly waited for the other. */
const longestRun = (answers: Float64Array, starts: Float64Array, roundTrip: number) => {
  let longest = answers.subarray(0, 0);
  let from = 0;
  for (let place = 0; place < answers.length; place += 1) {
    const isNextWaiting = countBefore(starts, answers[place]! - roundTrip) >= place + 2;
    if (isNextWaiting) continue;
    if (place + 1 - from > longest.length) longest = answers.subarray(from, place + 1);
    from = place + 1;
  }
  return longest;
};

/**
 * The time in ms between two requests that waited, as the longest run of them shows it: the median over pairs that are half
 * the run apart, as in the estimator of Theil and Sen. `null` if too few waited.
 */
const observedSpacing = (log: readonly LimiterDecision[], roundTrip: number): Fitted | null => {
  const admitted = log.filter((decision) => decision.admitted);
  const run = longestRun(
    Float64Array.from(admitted, ({ answered }) => answered).sort(),
    Float64Array.from(admitted, ({ sent }) => sent).sort(),
    roundTrip,
  );
  if (run.length <= minWaits) return null;
  const apart = Math.floor(run.length / 2);
  const spacings = run
    .slice(apart)
    .map((answered, place) => (answered - run[place]!) / apart)
    .sort();
  const at = (share: number): number => spacings[Math.floor(share * (spacings.length - 1))]!;
  return { value: at(0.5), least: at(leftOut), most: at(1 - leftOut) };
};

/** A pace at which requests waited. */
interface QueuePace {
  /** The time between two requests in ms. */
  readonly spacing: Fitted;
  /** Whether it can be that of the rule. */
  readonly isOfRule: boolean;
  /** Whether a server that is no faster can be the cause, and not a limiter. */
  readonly canBeServer: boolean;
}

/** The pace of the requests that waited; `null` if they show none. */
export const queuePace = (
  log: readonly LimiterDecision[],
  rule: LimitRule,
  roundTrip: number,
): QueuePace | null => {
  const spacing = observedSpacing(log, roundTrip);
  if (spacing === null) return null;
  const { limit, window } = rule;
  const slowest = Math.max(longestWindow(window) / limit, window / limit + timerLateness);
  const calm = usualCalmAnswer(log, rule);
  return {
    spacing,
    isOfRule: spacing.least <= slowest && spacing.most >= shortestWindow(window) / limit,
    canBeServer: calm === 0 || calm > promptShare * spacing.value,
  };
};
