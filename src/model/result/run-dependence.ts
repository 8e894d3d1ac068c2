import { type TimelineMeasure, timelineMeasures, type TimelineSecond } from '../measures/counts.ts';
import {
  type Dependence,
  dependenceOfPercentiles,
  dependenceOfShare,
  halfWidthOfRatio,
  type Part,
  strongest,
  z95,
} from '../measures/dependence.ts';
import {
  decodeHistogram,
  emptyHistogram,
  type Histogram,
  sumOfHistograms,
} from '../measures/histogram.ts';
import type { MeasureName } from '../measures/measures.ts';
import { type CountedArrivals, type ShareName, shares } from '../measures/run-figures.ts';
import type { Share } from '../measures/share.ts';
import { countArrivals } from '../measures/outcome-counts.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';
import type { Result } from './result.ts';

const isOfTimeline = (name: MeasureName): name is TimelineMeasure & MeasureName =>
  timelineMeasures.some((each) => each === name);

const decoded = new WeakMap<TimelineSecond, Map<string, Histogram>>();

const samplesOf = (
  second: TimelineSecond,
  kinds: readonly TrafficKind[],
  name: TimelineMeasure,
): Histogram => {
  const known = decoded.get(second) ?? new Map<string, Histogram>();
  decoded.set(second, known);
  const key = `${name} ${kinds.join()}`;
  let whole = known.get(key);
  if (whole === undefined) {
    whole = emptyHistogram(2);
    for (const kind of kinds) {
      const part = second.latency[kind]?.[name];
      if (part !== undefined) whole.add(decodeHistogram(part));
    }
    known.set(key, whole);
  }
  return whole;
};

/** Returns the seconds of a timeline with these numbers; `undefined` for a second without events. */
export const secondsAt = (
  { timeline }: Pick<Result, 'timeline'>,
  numbers: readonly number[],
): readonly (TimelineSecond | undefined)[] => {
  const byNumber = new Map(timeline.map((each) => [each.second, each]));
  return numbers.map((number) => byNumber.get(number));
};

export interface RunPart {
  readonly kinds: readonly TrafficKind[];
  /** The seconds in order, without the seconds that the figure leaves out. A second without events is `undefined`. */
  readonly seconds: readonly (TimelineSecond | undefined)[];
}

/**
 * The samples of a second without events. All such seconds share this object, because a long run can have many such
 * seconds.
 */
const noSamples = emptyHistogram(2);

export const samplesBySecond = (
  { seconds, kinds }: RunPart,
  name: TimelineMeasure,
): readonly Histogram[] =>
  seconds.map((second) => (second === undefined ? noSamples : samplesOf(second, kinds, name)));

type DependenceByQuantile = ReturnType<typeof dependenceOfPercentiles>;
const knownDependences = new WeakMap<RunPart, Map<TimelineMeasure, DependenceByQuantile>>();

const dependencesOf = (part: RunPart, name: TimelineMeasure): DependenceByQuantile => {
  const ofPart = knownDependences.get(part) ?? new Map<TimelineMeasure, DependenceByQuantile>();
  knownDependences.set(part, ofPart);
  const found = ofPart.get(name) ?? dependenceOfPercentiles(samplesBySecond(part, name));
  ofPart.set(name, found);
  return found;
};

/**
 * Returns how strongly the samples of a percentile depend on each other. If the timeline lacks the measure, returns the
 * dependence of end-to-end times, because the same queue delays both.
 */
export const dependenceAt = (part: RunPart, name: MeasureName, q: number): Dependence | null =>
  isOfTimeline(name)
    ? dependencesOf(part, name)(q)
    : dependencesOf(part, 'endToEnd')(Math.max(q, 1 - q));

/**
 * Counts the arrivals that were due in a second and completed at any time. Arrivals with a planned hang-up do not
 * count.
 */
const completedDueIn = (
  { latency }: TimelineSecond,
  kinds: readonly TrafficKind[] = trafficKinds,
): number => kinds.reduce((sum, kind) => sum + (latency[kind]?.endToEnd?.count ?? 0), 0);

/**
 * Counts all arrivals that were due in a second and completed at any time, including arrivals with a planned hang-up.
 */
export const allCompletedDueIn = (
  second: TimelineSecond,
  kinds: readonly TrafficKind[] = trafficKinds,
): number =>
  kinds.reduce(
    (sum, kind) => sum + (second.toCancel?.completed[kind] ?? 0),
    completedDueIn(second, kinds),
  );

/** Counts the arrivals without a planned hang-up that were due in a second. */
const awaitedDueIn = ({ due, toCancel }: TimelineSecond): number => due - (toCancel?.due ?? 0);

/** Counts the arrivals without a planned hang-up that were due in a second and did not complete. */
const failedDueIn = (second: TimelineSecond): number =>
  Math.max(0, awaitedDueIn(second) - completedDueIn(second));

/**
 * Counts the failed arrivals of a second that count as infinite samples of a measure; 0 for gaps, because an answer has
 * many gaps.
 */
export const failedWithout = (second: TimelineSecond | undefined, name: TimelineMeasure): number =>
  second === undefined || name === 'gap' ? 0 : failedDueIn(second);

/**
 * Returns the dependence of the samples. Its `widening` is raised to at least that of the failures, which count as
 * infinite. If more arrivals failed than lie beyond the percentile, the percentile is infinite, and only the dependence
 * of the failures counts.
 */
const withFailures = (
  { seconds }: RunPart,
  { q, failed }: { readonly q: number; readonly failed: number },
  ofSamples: () => Dependence | null,
): Dependence | null => {
  if (failed === 0) return ofSamples();
  const ofFailures = dependenceOfShare(
    seconds.map((second) => {
      if (second === undefined) return { events: 0, of: 0 };
      return { events: failedDueIn(second), of: awaitedDueIn(second) };
    }),
  );
  if (failed > 1 - q) return ofFailures;
  const found = ofSamples();
  if (ofFailures === null || found === null) return null;
  return { ...found, widening: Math.max(ofFailures.widening, found.widening) };
};

/**
 * Returns how strongly arrivals depend on each other at the percentile `q` of all arrivals. The share `failed` of all
 * arrivals counts as infinite, so `q` is a higher percentile of the samples alone. Failures that come together widen
 * the interval. They do not reduce the number of effective samples, because whether samples suffice must not depend on
 * when a limit was reached.
 */
export const dependenceOfDue = (
  part: RunPart,
  name: MeasureName,
  q: number,
  failed: number,
): Dependence | null =>
  withFailures(part, { q, failed }, () => dependenceAt(part, name, Math.min(1, q / (1 - failed))));

/**
 * Counts, in each second, the due arrivals and the arrivals whose time was at most a bound. A failed arrival counts as
 * beyond the bound. Returns `null` if the timeline lacks the measure.
 */
export const withinBySecond = (
  part: RunPart,
  name: MeasureName,
  bound: number,
): readonly Share[] | null =>
  isOfTimeline(name)
    ? samplesBySecond(part, name).map((samples, i) => ({
        events: samples.countUpTo(bound),
        of: samples.count + failedWithout(part.seconds[i], name),
      }))
    : null;

/**
 * Returns the sum of a measure and the number of its samples in each second; `null` if the timeline lacks the measure.
 */
export const sumBySecond = (part: RunPart, name: MeasureName): readonly Part[] | null =>
  isOfTimeline(name)
    ? samplesBySecond(part, name).map(({ sum, count }) => ({ sum, of: count }))
    : null;

/**
 * Returns the stronger of two dependences: the dependence of the arrivals within the bound, and the dependence of the
 * arrivals within half the bound (for a lower bound: within twice the bound). If few arrivals exceed the bound, only
 * the second dependence shows how strongly arrivals depend on each other. Returns `null` if the timeline lacks the
 * measure.
 */
export const dependenceAtBound = (
  part: RunPart,
  name: MeasureName,
  { bound, isLower }: { readonly bound: number; readonly isLower: boolean },
  due: { readonly q: number; readonly failed: number },
): Dependence | null => {
  if (!isOfTimeline(name)) return null;
  const samples = samplesBySecond(part, name);
  const dependenceUpTo = (value: number): Dependence | null =>
    dependenceOfShare(samples.map((each) => ({ events: each.countUpTo(value), of: each.count })));
  const values = [bound, isLower ? bound * 2 : bound / 2];
  return withFailures(part, due, () => strongest(values.map(dependenceUpTo)));
};

/** Returns, for each second, the cached tokens and all input tokens of the answers that report both. */
export const cachedBySecond = ({ seconds }: RunPart): readonly Part[] =>
  seconds.map((second) => ({ sum: second?.cached?.tokens ?? 0, of: second?.cached?.input ?? 0 }));

/**
 * Returns half the width of the 95 % interval of the cached share of `input` tokens; `null` if fewer than ten seconds
 * have answers that report cached tokens. The timeline has only sums over all labels. If `input` is only a part of all
 * tokens, the half width is increased, because the share of a part varies more.
 */
export const cachedHalfWidth = (part: RunPart, input: number): number | null => {
  const seconds = cachedBySecond(part);
  const all = seconds.reduce((sum, { of }) => sum + of, 0);
  const half = halfWidthOfRatio(seconds);
  return half === null ? null : half * Math.sqrt(Math.max(1, all / Math.max(1, input)));
};

/**
 * Returns half the width of the 95 % interval of a mean; `null` if the timeline lacks the measure or has fewer than ten
 * seconds of samples. The dependence at the median also counts, because a few blocks may be alike by chance.
 */
export const meanHalfWidth = (part: RunPart, name: MeasureName): number | null => {
  const sums = sumBySecond(part, name);
  const half = sums === null ? null : halfWidthOfRatio(sums);
  const dependence = half === null ? null : dependenceAt(part, name, 0.5);
  if (half === null || dependence === null || !isOfTimeline(name)) return half;
  const samples = sumOfHistograms(samplesBySecond(part, name), 2);
  const { variance } = samples.shape();
  return Math.max(half, z95 * Math.sqrt((variance * dependence.widening) / samples.count));
};

/**
 * Returns a share in each second, over the arrivals that ended in the second. The timeline knows neither which answers
 * met the objectives nor the finish reasons. For the shares `goodput` and `finish`, every completed answer therefore
 * counts.
 */
export const shareBySecond = (part: RunPart, name: ShareName): readonly Share[] =>
  part.seconds.map((second) => {
    if (second === undefined) return { events: 0, of: 0 };
    const { outcomes, sent } = second;
    const { completed } = outcomes;
    const events = shares[name].of({
      outcomes,
      sent,
      metAllObjectives: completed,
      finished: completed,
    });
    return { events: events ?? 0, of: countArrivals(outcomes) };
  });

/**
 * Returns how strongly the arrivals of a share depend on each other, from the outcomes of each second. The timeline
 * does not know which answers met the objectives, or why answers ended. For `goodput` and `finish`, the dependence of
 * end-to-end times at the level of the share also counts.
 */
export const dependenceOfArrivals = (
  part: RunPart,
  name: ShareName,
  counted: CountedArrivals,
): Dependence | null => {
  const ofOutcomes = dependenceOfShare(shareBySecond(part, name));
  if (name !== 'goodput' && name !== 'finish') return ofOutcomes;
  const share = (shares[name].of(counted) ?? 0) / Math.max(1, counted.outcomes.completed);
  const q = Math.min(0.999, Math.max(0.001, share));
  return strongest([ofOutcomes, dependenceAt(part, 'endToEnd', q)]);
};
