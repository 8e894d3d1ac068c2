import { timelineMeasures, type TimelineMeasure, type TimelineSecond } from '../measures/counts.ts';
import { endOfTransient, type MeasuredSecond, possibleEnds } from '../measures/transient.ts';
import { type AutoWarmUp, leastSteady, type Plan } from '../plan/plan.ts';
import { type Instant, type Milliseconds, milliseconds } from '../quantity.ts';
import { trafficKinds } from '../workload/traffic.ts';
import type { Result } from './result.ts';
import { failedWithout, samplesBySecond, secondsAt } from './run-dependence.ts';

/**
 * Returns the seconds at which the warm-up of a load can end. `scheduled` is the length of the load, in ms. No returned
 * second is later than the middle between the earliest end and the end of the load.
 */
export const possibleWarmUpEnds = (
  { earliest, latest }: AutoWarmUp,
  scheduled: number = Number.POSITIVE_INFINITY,
): readonly number[] => {
  const half = earliest + Math.max(0, scheduled - earliest) / 2;
  return possibleEnds(Math.ceil(earliest / 1000), Math.floor(Math.min(latest, half) / 1000));
};

/**
 * Creates a function that returns in which part of the warm-up an instant lies, as an index from 0. The possible ends
 * of the warm-up divide it into these parts. For a plan with a fixed warm-up, the function returns `undefined`.
 */
export const warmUpParts = ({ autoWarmUp }: Plan): ((due: Instant) => number | undefined) => {
  if (autoWarmUp === undefined) return () => undefined;
  const ends = possibleWarmUpEnds(autoWarmUp);
  return (due) => {
    const next = ends.findIndex((end) => due < end * 1000);
    return next === -1 ? ends.length : next;
  };
};

const isJudgedBy = (name: TimelineMeasure): boolean => name !== 'lag';

/**
 * Returns the measures that decide where the warm-up ends: the measures of the objectives. If the objectives name no
 * such measure, returns TTFT and the end-to-end time.
 */
const measuresOf = ({ objectives }: Plan): readonly TimelineMeasure[] => {
  const named = objectives.flatMap(({ figure }) =>
    figure.kind === 'measure' ? [figure.name] : [],
  );
  const known = timelineMeasures.filter(
    (name) => isJudgedBy(name) && named.some((each) => each === name),
  );
  return known.length > 0 ? known : ['ttft', 'endToEnd'];
};

const measuredSeconds = (
  seconds: readonly (TimelineSecond | undefined)[],
  name: TimelineMeasure,
): readonly MeasuredSecond[] =>
  samplesBySecond({ kinds: trafficKinds, seconds }, name).map((samples, i) => ({
    samples,
    failed: failedWithout(seconds[i], name),
  }));

export type FoundWarmUp = NonNullable<Result['warmUp']>;

/** Finds the end of the warm-up of a plan with `warmUp: auto`; returns `null` for any other plan. */
export const findWarmUp = (
  plan: Plan,
  timeline: readonly TimelineSecond[],
  scheduled: Milliseconds,
): FoundWarmUp | null => {
  if (plan.autoWarmUp === undefined) return null;
  const length = Math.floor(scheduled / 1000);
  const seconds = secondsAt(
    { timeline: [...timeline] },
    Array.from({ length }, (_, i) => i),
  );
  const found = measuresOf(plan)
    .map((name) => ({ name, seconds: measuredSeconds(seconds, name) }))
    .filter((each) => each.seconds.some(({ samples }) => samples.count > 0));
  const ends = possibleWarmUpEnds(plan.autoWarmUp, scheduled);
  const { second, isSteady } = endOfTransient(
    found.map((each) => each.seconds),
    ends,
  );
  return {
    end: milliseconds(second * 1000),
    // Without samples, it is unknown whether the run is steady.
    isSteady: found.length > 0 && isSteady && scheduled - plan.autoWarmUp.earliest >= leastSteady,
    measures: found.map(({ name }) => name),
    excluded: timeline.reduce((sum, each) => sum + (each.second < second ? each.due : 0), 0),
  };
};
