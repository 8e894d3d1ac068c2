import type { Group, OutcomeCounts, TimelineSecond } from './counts.ts';
import { outcomeKinds, plainFinish } from '../observation/outcome.ts';
import type { TrafficKind } from '../workload/traffic.ts';

export const chatKinds = ['chat', 'chat-stream'] as const satisfies readonly TrafficKind[];

export const hasFinish = (traffic: TrafficKind): boolean =>
  chatKinds.some((kind) => kind === traffic);

export const emptyOutcomeCounts = (): OutcomeCounts => ({
  completed: 0,
  limited: 0,
  refused: 0,
  malformed: 0,
  broken: 0,
  dropped: 0,
  cancelled: 0,
});

export const sumOutcomes = (
  parts: Iterable<{ readonly outcomes: OutcomeCounts }>,
): OutcomeCounts => {
  const sum = emptyOutcomeCounts();
  for (const { outcomes } of parts) {
    for (const kind of outcomeKinds) sum[kind] += outcomes[kind];
  }
  return sum;
};

/** Returns the number of all arrivals. Every share of arrivals is divided by this number. */
export const countArrivals = (outcomes: OutcomeCounts): number =>
  outcomeKinds.reduce((sum, kind) => sum + outcomes[kind], 0);

/**
 * Returns the number of failed arrivals. An arrival failed if it neither completed nor was cancelled by a planned
 * hang-up.
 */
export const countFailed = (outcomes: OutcomeCounts): number =>
  countArrivals(outcomes) - outcomes.completed - outcomes.cancelled;

/** Returns whether no arrival succeeded. An arrival succeeds if it completes, or if the client hangs up as planned. */
export const hasNothingSucceeded = ({ completed, cancelled }: OutcomeCounts): boolean =>
  completed + cancelled === 0;

/**
 * Adds up the outcomes of the arrivals without a planned hang-up. Hang-ups are planned at random, independent of the
 * outcome, so these arrivals are a random part of all arrivals. Figures of times and of goodput use only these
 * arrivals.
 */
export const sumAwaited = (
  groups: readonly Pick<Group, 'outcomes' | 'hangUps'>[],
): OutcomeCounts => {
  const sum = sumOutcomes(groups);
  for (const { hangUps } of groups) {
    if (hangUps === undefined) continue;
    for (const kind of outcomeKinds) sum[kind] -= hangUps.outcomes[kind];
  }
  return sum;
};

/** Adds up the finish reasons of some groups, the most frequent reason first. */
export const sumFinishes = (
  groups: readonly Pick<Group, 'finishes'>[],
): readonly (readonly [reason: string, count: number])[] => {
  const sums = new Map<string, number>();
  for (const { reason, count } of groups.flatMap(({ finishes }) => finishes ?? []))
    sums.set(reason, (sums.get(reason) ?? 0) + count);
  return [...sums].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
};

/**
 * Counts the answers that ended for a reason, in any spelling of the reason; `null` if some group of chats has no
 * finish reasons.
 */
export const countFinishes = (
  groups: readonly Pick<Group, 'finishes' | 'labels'>[],
  reason: string,
): number | null => {
  const isUnknown = groups.some(
    ({ labels, finishes }) => finishes === undefined && hasFinish(labels.traffic),
  );
  if (isUnknown) return null;
  const wanted = plainFinish(reason);
  return sumFinishes(groups)
    .filter(([name]) => plainFinish(name) === wanted)
    .reduce((sum, [, count]) => sum + count, 0);
};

/** Returns the timeline's entry for a second in which nothing happened, without the field `latency`. */
export const emptySecond = (second: number): Omit<TimelineSecond, 'latency'> => ({
  second,
  due: 0,
  begun: 0,
  sent: 0,
  ended: 0,
  outcomes: emptyOutcomeCounts(),
  completed: {},
  tokenEvents: 0,
  inputTokens: 0,
  outputTokens: 0,
  audioReceived: 0,
  audioSent: 0,
  characters: 0,
});
