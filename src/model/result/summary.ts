import type { Group, Labels, TimelineSecond, TimelineMeasure } from '../measures/counts.ts';
import {
  decodeHistogram,
  type Digits,
  type EncodedHistogram,
  type Histogram,
  sumOfHistograms,
} from '../measures/histogram.ts';
import { type MeasureName, measureNames } from '../measures/measures.ts';
import type { Result } from './result.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';

export type LabelFilter = (labels: Labels) => boolean;

export const outsideWarmUp: LabelFilter = (labels) => !labels.warmUp;

export const groupsMatching = (result: Result, where: LabelFilter): readonly Group[] =>
  result.groups.filter((group) => where(group.labels));

const sumOfDecoded = (
  parts: readonly (EncodedHistogram | undefined)[],
  digits?: Digits,
): Histogram =>
  sumOfHistograms(parts.filter((part) => part !== undefined).map(decodeHistogram), digits);

/** One measure's distribution over all groups that `where` selects. */
export const distributionOf = (
  result: Result,
  measure: MeasureName,
  where: LabelFilter,
): Histogram =>
  sumOfDecoded(groupsMatching(result, where).map((group) => group.distributions[measure]));

/** The measures with at least one sample in the selected groups, in table order. */
export const measuresPresent = (result: Result, where: LabelFilter): readonly MeasureName[] => {
  const groups = groupsMatching(result, where);
  return measureNames.filter((name) =>
    groups.some((group) => (group.distributions[name]?.count ?? 0) > 0),
  );
};

/** One measure's distribution over some seconds of the timeline at two digits, for one traffic kind. */
export const latencyOver = (
  seconds: readonly TimelineSecond[],
  kind: TrafficKind,
  measure: TimelineMeasure,
): Histogram =>
  sumOfDecoded(
    seconds.map(({ latency }) => latency[kind]?.[measure]),
    2,
  );

/** The generator's lag over some seconds, of all traffic kinds. */
export const lagOver = (seconds: readonly TimelineSecond[]): Histogram =>
  sumOfHistograms(
    trafficKinds.map((kind) => latencyOver(seconds, kind, 'lag')),
    2,
  );

/** The indexes of the missing slices: with any of them the run is incomplete. */
export const missingSlices = ({ slices }: Result): readonly number[] => {
  const present = new Set(slices.map(({ index }) => index));
  return Array.from({ length: slices[0]?.count ?? 0 }, (_, index) => index).filter(
    (index) => !present.has(index),
  );
};

/** The first whole second after the warm-up. */
export const firstMeasuredSecond = ({ plan }: Pick<Result, 'plan'>): number =>
  Math.ceil(plan.warmUp / 1000);

/** The seconds after the warm-up; all seconds if there are none. */
export const measuredSeconds = <T extends { readonly second: number }>(
  result: Pick<Result, 'plan'>,
  seconds: readonly T[],
): readonly T[] => {
  const first = firstMeasuredSecond(result);
  const kept = seconds.filter(({ second }) => second >= first);
  return kept.length === 0 ? seconds : kept;
};

/** The whole seconds between the end of the warm-up and the end of the load: the base of rates. */
export interface MeasuredWindow {
  readonly seconds: number;
  readonly timeline: readonly TimelineSecond[];
}

/** `null` without a whole second: then there are no rates. */
export const measuredWindow = (result: Result): MeasuredWindow | null => {
  const from = firstMeasuredSecond(result);
  const to = Math.floor(result.scheduled / 1000);
  if (to - from < 1) return null;
  return {
    seconds: to - from,
    timeline: result.timeline.filter(({ second }) => second >= from && second < to),
  };
};
