import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { Fitted } from '../../../model/limits/limiter-fit.ts';
import { longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { countBefore } from '../facts/count-instants.ts';

/** The minimum number of consecutive answers that waited and so show a pace. */
const minWaits = 10;
/**
 * The share of the estimates of a pace that is cut off at each end of its interval: a machine that pauses delays some
 * answers.
 */
const trimmedShare = 0.1;
/** The distance, in answers, of the pairs in the second estimate of a pace. */
const nearDistance = 5;
/** The relative difference up to which a pace counts as that of the rule. */
const closeShare = 0.05;
/** The time, in ms, by which a timer of a queue is late for each request. */
const timerLateness = 2;
/**
 * The largest usual latency of single requests at which a slow server cannot be the cause of a pace, as a share of the
 * time between two answers. A queue answers single requests at once; a slow server takes as long for them as under
 * load.
 */
const promptShare = 0.5;

/** The answer of an admitted request: its index in the log, and its instant in ms. */
interface Answer {
  readonly index: number;
  readonly answered: number;
}

/**
 * Finds the longest run of answers in which each request had certainly been sent before the answer of the one before
 * it.
 */
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

const sortAscending = (values: readonly number[]): readonly number[] =>
  values.toSorted((a, b) => a - b);

/**
 * Estimates the time between two answers of a run, in ms: the median over all pairs that are `apart` answers from each
 * other, as in the Theil–Sen estimator.
 */
const spacingOf = (run: readonly Answer[], apart: number): Fitted => {
  const spacings = sortAscending(
    run.slice(apart).map(({ answered }, place) => (answered - run[place]!.answered) / apart),
  );
  const at = (share: number): number => spacings[Math.floor(share * (spacings.length - 1))]!;
  return { value: at(0.5), least: at(trimmedShare), most: at(1 - trimmedShare) };
};

/**
 * Returns two estimates of the time between two answers. Pairs half a run apart are hardly affected by the network, and
 * cover servers that answer in batches; in pairs of neighbours, one missing answer, such as a failed chat, affects few.
 */
const spacingsOf = (run: readonly Answer[]): readonly Fitted[] =>
  [Math.floor(run.length / 2), nearDistance].map((apart) => spacingOf(run, apart));

/** Counts the answers of a run that are off by more than half the time between two answers. */
const countUneven = (run: readonly Answer[], { value }: Fitted): number => {
  const off = sortAscending(run.map(({ answered }, place) => answered - place * value));
  const usual = off[Math.floor(off.length / 2)]!;
  return off.filter((each) => Math.abs(each - usual) > value / 2).length;
};

type Range = Omit<Fitted, 'value'>;

/** Returns the range of the time between two requests that is within the tolerance of the rule, in ms. */
const toleratedSpacing = ({ limit, window }: LimitRule): Range => ({
  least: shortestWindow(window) / limit,
  most: Math.max(longestWindow(window) / limit, window / limit + timerLateness),
});

const overlaps = (estimates: readonly Range[], { least, most }: Range): boolean =>
  estimates.some((each) => each.least <= most && each.most >= least);

/**
 * The relation of a pace to that of the rule: equal (`own`), possibly equal (`near`), different by no more than
 * gateways round their windows (`doubtful`), or different (`other`).
 */
type PaceMatch = 'own' | 'near' | 'doubtful' | 'other';

/** Compares a pace with that of the rule, and returns the estimate that shows the result. */
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

/** The pace at which requests waited. */
export interface QueuePace {
  /** The time between two answers, in ms. */
  readonly spacing: Fitted;
  readonly match: PaceMatch;
  /**
   * Whether more requests than the limit waited, mostly evenly, and certainly at a faster pace than that of the rule.
   */
  readonly isFaster: boolean;
  /** Whether a slow server can be the cause instead of a limiter. */
  readonly canBeServer: boolean;
  /** The requests that show the pace, as indexes in the log. */
  readonly waited: readonly number[];
  /** The number of these that were answered at another time. */
  readonly uneven: number;
}

/** Measures the pace of the requests that waited; `null` if too few waited. */
export const queuePace = (log: readonly LimiterDecision[], rule: LimitRule): QueuePace | null => {
  const run = longestRun(log);
  if (run.length <= minWaits) return null;
  const estimates = spacingsOf(run);
  const [match, spacing] = matchOf(estimates, rule);
  const uneven = countUneven(run, spacing);
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
