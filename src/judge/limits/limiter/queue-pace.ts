import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { Fitted } from '../../../model/limits/limiter-fit.ts';
import { longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { countBefore } from '../facts/count-instants.ts';

/** So many waits in a row show a pace. */
const minWaits = 10;
/** The share of its estimates on each side that are left out of a pace's interval: a machine that pauses delays some answers. */
const leftOut = 0.1;
/** Of the two estimates of a pace, the closer one is of answers so far apart. */
const nearby = 5;
/** A pace so close to that of the rule is its own. */
const closeShare = 0.05;
/** A queue that sleeps between two requests is late by up to so many ms each time. */
const timerLateness = 2;
/** A server without a queue is no faster under load than its answers to single requests; a queue lets these through at once, within this share of the time between two requests. */
const promptShare = 0.5;

/** An admitted request: where it is in the log, and when it was answered in ms. */
interface Answer {
  readonly index: number;
  readonly answered: number;
}

/** The longest run of answers between two of which the later one certainly waited for the other. */
const longestRun = (log: readonly LimiterDecision[]): readonly Answer[] => {
  const admitted = [...log.entries()].filter(([, decision]) => decision.admitted);
  const starts = Float64Array.from(admitted, ([, { sent }]) => sent).sort();
  const fastest = admitted.reduce(
    (least, [, { sent, answered }]) => Math.min(least, answered - sent),
    Infinity,
  );
  const answers = admitted
    .map(([index, { answered }]): Answer => ({ index, answered }))
    .toSorted((a, b) => a.answered - b.answered);
  let longest: readonly Answer[] = [];
  let from = 0;
  for (const [place, { answered }] of answers.entries()) {
    const isNextWaiting = countBefore(starts, answered - fastest) >= place + 2;
    if (isNextWaiting) continue;
    if (place + 1 - from > longest.length) longest = answers.slice(from, place + 1);
    from = place + 1;
  }
  return longest;
};

const ascending = (values: readonly number[]): readonly number[] =>
  values.toSorted((a, b) => a - b);

/**
 * The time between two answers of a run in ms: the median over pairs that are so far apart, as in the estimator of Theil and
 * Sen.
 */
const spacingOf = (run: readonly Answer[], apart: number): Fitted => {
  const spacings = ascending(
    run.slice(apart).map(({ answered }, place) => (answered - run[place]!.answered) / apart),
  );
  const at = (share: number): number => spacings[Math.floor(share * (spacings.length - 1))]!;
  return { value: at(0.5), least: at(leftOut), most: at(1 - leftOut) };
};

/**
 * Two estimates of the time between two answers of a run. Over half of it the network hardly counts, and requests that let many
 * through at once have a pace; over a few answers one that is missing, such as a chat that failed, spoils few of the pairs.
 */
const spacingsOf = (run: readonly Answer[]): readonly Fitted[] =>
  [Math.floor(run.length / 2), nearby].map((apart) => spacingOf(run, apart));

/** How many answers of a run are off by more than half the time between two. */
const unevenIn = (run: readonly Answer[], { value }: Fitted): number => {
  const off = ascending(run.map(({ answered }, place) => answered - place * value));
  const usual = off[Math.floor(off.length / 2)]!;
  return off.filter((each) => Math.abs(each - usual) > value / 2).length;
};

type Range = Omit<Fitted, 'value'>;

/** What the time between two requests of the rule can be, in ms. */
const toleratedSpacing = ({ limit, window }: LimitRule): Range => ({
  least: shortestWindow(window) / limit,
  most: Math.max(longestWindow(window) / limit, window / limit + timerLateness),
});

const overlaps = (estimates: readonly Range[], { least, most }: Range): boolean =>
  estimates.some((each) => each.least <= most && each.most >= least);

/** Whether a pace is that of the rule, can be, is off by no more than gateways miss a window by, or is another one. */
type PaceMatch = 'own' | 'near' | 'doubtful' | 'other';

/** How a pace matches the rule, and the estimate that shows it. */
const matchOf = (
  estimates: readonly Fitted[],
  rule: LimitRule,
): readonly [PaceMatch, spacing: Fitted] => {
  const own = rule.window / rule.limit;
  const close = { least: own * (1 - closeShare), most: own * (1 + closeShare) };
  const within = estimates.find(({ least, most }) => least >= close.least && most <= close.most);
  if (within !== undefined) return ['own', within];
  const [spacing] = estimates;
  if (overlaps(estimates, close)) return ['near', spacing!];
  return [overlaps(estimates, toleratedSpacing(rule)) ? 'doubtful' : 'other', spacing!];
};

/** A pace at which requests waited. */
export interface QueuePace {
  /** The time between two requests in ms. */
  readonly spacing: Fitted;
  readonly match: PaceMatch;
  /** Whether more than the limit waited, most of them evenly, and certainly at a faster pace than that of the rule. */
  readonly isFaster: boolean;
  /** Whether a server that is no faster can be the cause, and not a limiter. */
  readonly canBeServer: boolean;
  /** The requests that show it, as indexes in the log. */
  readonly waited: readonly number[];
  /** How many of these were answered at another time. */
  readonly uneven: number;
}

/** The pace of the requests that waited; `null` if too few did. */
export const queuePace = (log: readonly LimiterDecision[], rule: LimitRule): QueuePace | null => {
  const run = longestRun(log);
  if (run.length <= minWaits) return null;
  const estimates = spacingsOf(run);
  const [match, spacing] = matchOf(estimates, rule);
  const uneven = unevenIn(run, spacing);
  const isEven = run.length > rule.limit && uneven < run.length / 2;
  const isFast = estimates[0]!.most < (1 - closeShare) * (rule.window / rule.limit);
  const calm = usualCalmAnswer(log, rule);
  return {
    spacing,
    match,
    isFaster: isEven && isFast && match !== 'own',
    canBeServer: calm === 0 || calm > promptShare * spacing.value,
    waited: run.map(({ index }) => index),
    uneven,
  };
};
