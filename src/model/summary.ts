import { decodeHistogram, type Histogram, sumOfHistograms } from './histogram.ts';
import { type MeasureName, measures } from './measures.ts';
import { type OutcomeKind, outcomeKinds } from './observation.ts';
import type { Group, Labels, OutcomeCounts, Result } from './result.ts';

/** Reading figures out of a result: the same arithmetic for judges and reports. */

export type Where = (labels: Labels) => boolean;

/** Everything but the warm-up. */
export const measured: Where = (labels) => !labels.warmUp;

export const emptyOutcomes = (): OutcomeCounts => ({
  completed: 0,
  limited: 0,
  refused: 0,
  malformed: 0,
  broken: 0,
  dropped: 0,
});

/** Counts by outcome, summed. */
export const outcomesOf = (
  parts: Iterable<{ readonly outcomes: OutcomeCounts }>,
): OutcomeCounts => {
  const sum = emptyOutcomes();
  for (const { outcomes } of parts) {
    for (const kind of outcomeKinds) sum[kind] += outcomes[kind];
  }
  return sum;
};

/** All arrivals behind a set of counts: the denominator of every rate. */
export const arrivalsIn = (outcomes: OutcomeCounts): number =>
  outcomeKinds.reduce((sum, kind: OutcomeKind) => sum + outcomes[kind], 0);

export const groupsWhere = (result: Result, where: Where): readonly Group[] =>
  result.groups.filter((group) => where(group.labels));

/** One measure's distribution over all groups that `where` selects. */
export const distribution = (result: Result, measure: MeasureName, where: Where): Histogram =>
  sumOfHistograms(
    groupsWhere(result, where).flatMap((group) => {
      const encoded = group.distributions[measure];
      return encoded === undefined ? [] : [decodeHistogram(encoded)];
    }),
  );

/** The measures that have at least one sample among the selected groups, in the table's order. */
export const measuresPresent = (result: Result, where: Where): readonly MeasureName[] => {
  const groups = groupsWhere(result, where);
  return (Object.keys(measures) as MeasureName[]).filter((name) =>
    groups.some((group) => (group.distributions[name]?.count ?? 0) > 0),
  );
};

/** The length of the measured window: from the end of the warm-up to the end of the schedule, in seconds. */
export const measuredSeconds = (result: Result): number =>
  Math.max(0, result.scheduled - result.plan.warmUp) / 1000;
