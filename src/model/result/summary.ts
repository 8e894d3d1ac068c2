import type { Group, Labels, TimelineSecond, TimelineMeasure } from '../measures/counts.ts';
import { decodeHistogram, type Histogram, sumOfHistograms } from '../measures/histogram.ts';
import { type MeasureName, measures } from '../measures/measures.ts';
import type { Result } from './result.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';

/** Reading figures out of a result: the same arithmetic for judges and reports. */

export type LabelFilter = (labels: Labels) => boolean;

/** Everything but the warm-up. */
export const outsideWarmUp: LabelFilter = (labels) => !labels.warmUp;

export const groupsMatching = (result: Result, where: LabelFilter): readonly Group[] =>
  result.groups.filter((group) => where(group.labels));

/** One measure's distribution over all groups that `where` selects. */
export const distributionOf = (
  result: Result,
  measure: MeasureName,
  where: LabelFilter,
): Histogram =>
  sumOfHistograms(
    groupsMatching(result, where).flatMap((group) => {
      const encoded = group.distributions[measure];
      return encoded === undefined ? [] : [decodeHistogram(encoded)];
    }),
  );

/** The measures that have at least one sample among the selected groups, in the table's order. */
export const measuresPresent = (result: Result, where: LabelFilter): readonly MeasureName[] => {
  const groups = groupsMatching(result, where);
  return (Object.keys(measures) as MeasureName[]).filter((name) =>
    groups.some((group) => (group.distributions[name]?.count ?? 0) > 0),
  );
};

/** One measure's distribution over some seconds of the timeline, at its two digits, for one kind of traffic: kinds do not mix. */
export const latencyOver = (
  seconds: readonly TimelineSecond[],
  kind: TrafficKind,
  measure: TimelineMeasure,
): Histogram =>
  sumOfHistograms(
    seconds.flatMap(({ latency }) => {
      const encoded = latency[kind]?.[measure];
      return encoded === undefined ? [] : [decodeHistogram(encoded)];
    }),
    2,
  );

/** The generator's own lag over some seconds: it is the generator's whatever was asked for, so all kinds of traffic count. */
export const lagOver = (seconds: readonly TimelineSecond[]): Histogram =>
  sumOfHistograms(
    trafficKinds.map((kind) => latencyOver(seconds, kind, 'lag')),
    2,
  );

/** The slices that a result lacks, in order: with any of them missing, the run is incomplete. */
export const missingSlices = ({ slices }: Result): readonly number[] => {
  const present = new Set(slices.map(({ index }) => index));
  return Array.from({ length: slices[0]?.count ?? 0 }, (_, index) => index).filter(
    (index) => !present.has(index),
  );
};

/** The first second of the timeline that lies wholly after the warm-up. */
export const firstMeasuredSecond = ({ plan }: Pick<Result, 'plan'>): number =>
  Math.ceil(plan.warmUp / 1000);

/** The seconds of a run that its figures hold: all after the warm-up. Of a run that has no such seconds, all. */
export const measuredSeconds = <T extends { readonly second: number }>(
  result: Pick<Result, 'plan'>,
  seconds: readonly T[],
): readonly T[] => {
  const first = firstMeasuredSecond(result);
  const kept = seconds.filter(({ second }) => second >= first);
  return kept.length === 0 ? seconds : kept;
};

/** The whole seconds between the end of the warm-up and the end of the load: what rates are over. */
export interface MeasuredWindow {
  readonly seconds: number;
  /** The timeline's entries within it. */
  readonly timeline: readonly TimelineSecond[];
}

/** `null` when it holds no whole second: then there are no rates. */
export const measuredWindow = (result: Result): MeasuredWindow | null => {
  const from = firstMeasuredSecond(result);
  const to = Math.floor(result.scheduled / 1000);
  if (to - from < 1) return null;
  return {
    seconds: to - from,
    timeline: result.timeline.filter(({ second }) => second >= from && second < to),
  };
};
