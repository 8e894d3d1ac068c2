import { type Answer, partialOf } from '../observation/outcome.ts';
import type { Observation } from '../observation/observation.ts';
import type { Instant } from '../quantity.ts';
import type { TrafficKind } from '../workload/traffic.ts';

export const thousandths = 1000;

/** The upper bound of samples, in the measure's unit. Below this bound, thousandths are exact. */
export const sampleUpperBound = Number.MAX_SAFE_INTEGER / thousandths;

export interface Measure {
  readonly label: string;
  /** A short name of at most 16 characters, for narrow tables. */
  readonly short: string;
  /** The unit. `µ` is a millionth of the currency; `ms/s` is ms per second of audio. */
  readonly unit:
    | 'ms'
    | 's'
    | 'ms/s'
    | 'tokens/s'
    | 'tokens'
    | 'tokens/chunk'
    | 'characters'
    | 'characters/s'
    | 'bytes'
    | '%'
    | 'models'
    | 'µ';
  readonly better: 'lower' | 'higher' | 'neither';
  readonly traffic: readonly TrafficKind[];
  readonly definition: string;
  /** Returns the samples of one observation. Most observations have at most one sample. */
  readonly of: (observation: Observation) => readonly number[] | Float64Array;
  /** Returns the samples of a failed answer, from the part before the failure. */
  readonly ofPartial: (observation: Observation) => readonly number[] | Float64Array;
}

const none: readonly number[] = [];

type MeasureWords = readonly [
  label: string,
  short: string,
  unit: Measure['unit'],
  better: Measure['better'],
];

/** Makes measures of the given kinds of traffic. `of` reads completed answers; `ofPartial` reads failed answers. */
export const measuresOf =
  <K extends TrafficKind>(first: K, ...others: readonly K[]) =>
  (
    [label, short, unit, better]: MeasureWords,
    definition: string,
    samplesOf: (
      answer: Extract<Answer, { kind: K }>,
      observation: Observation,
    ) => number | null | readonly number[] | Float64Array,
  ): Measure => {
    const read = (answer: Answer, observation: Observation): readonly number[] | Float64Array => {
      const { kind } = answer;
      if (kind !== first && !others.includes(kind as K)) return none;
      const samples = samplesOf(answer as Extract<Answer, { kind: K }>, observation);
      if (samples === null) return none;
      return typeof samples === 'number' ? [samples] : samples;
    };
    return {
      label,
      short,
      unit,
      better,
      traffic: [first, ...others],
      definition,
      of: (observation) => {
        const { outcome } = observation;
        return outcome.kind === 'completed' ? read(outcome.answer, observation) : none;
      },
      ofPartial: (observation) => {
        const partial = partialOf(observation.outcome);
        return partial === null ? none : read(partial, observation);
      },
    };
  };

export const span = (from: Instant | null, to: Instant | null): number | null =>
  from === null || to === null ? null : to - from;

/** Returns a count per second; `null` if the time is 0 or if a histogram cannot store the result. */
export const ratePerSecond = (count: number, time: number | null): number | null => {
  if (time === null || time <= 0) return null;
  const rate = (count / time) * 1000;
  return rate < sampleUpperBound ? rate : null;
};

export const gapsOf = (instants: Float64Array): Float64Array => {
  const gaps = new Float64Array(Math.max(0, instants.length - 1));
  for (let i = 1; i < instants.length; i += 1) gaps[i - 1] = instants[i]! - instants[i - 1]!;
  return gaps;
};

/** Returns the longest time between two consecutive instants; there must be at least two instants. */
export const longestGapOf = (instants: Float64Array): number => {
  let longest = Number.NEGATIVE_INFINITY;
  for (let i = 1; i < instants.length; i += 1) {
    longest = Math.max(longest, instants[i]! - instants[i - 1]!);
  }
  return longest;
};
