import type { Answer } from '../observation/outcome.ts';
import { sampleUpperBound } from './sample-bound.ts';
import type { Observation } from '../observation/observation.ts';
import type { Instant } from '../quantity.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/** What a measure is, and how the table of measures takes its samples from observations. */

/** The samples that one observation gives; most give none or one. */
export type Sampling = (observation: Observation) => readonly number[] | Float64Array;

/** What samples are counted in. `µ` is a millionth of the currency, `ms/s` wall-clock time for each second of audio. */
type Unit =
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

/** One row of the table of measures. */
export interface Measure {
  readonly label: string;
  /** At most 16 characters, for narrow tables. */
  readonly short: string;
  readonly unit: Unit;
  readonly better: 'lower' | 'higher' | 'neither';
  readonly traffic: readonly TrafficKind[];
  /** The definition as reports print it. */
  readonly definition: string;
  readonly of: Sampling;
}

const none: readonly number[] = [];

/** Samples of completed answers of one kind. */
export const fromAnswer =
  <K extends Answer['kind']>(
    kind: K,
    sample: (
      answer: Extract<Answer, { kind: K }>,
      observation: Observation,
    ) => number | null | readonly number[] | Float64Array,
  ): Sampling =>
  (observation) => {
    if (observation.outcome.kind !== 'completed') return none;
    const { answer } = observation.outcome;
    if (answer.kind !== kind) return none;
    const value = sample(answer as Extract<Answer, { kind: K }>, observation);
    if (value === null) return none;
    return typeof value === 'number' ? [value] : value;
  };

/** One sample of every completed request that has it. */
export const fromCompleted =
  (sample: (observation: Observation) => number | null): Sampling =>
  (observation) => {
    if (observation.outcome.kind !== 'completed') return none;
    const value = sample(observation);
    return value === null ? none : [value];
  };

/** The time between two instants; `null` when either never came. */
export const span = (from: Instant | null, to: Instant | null): number | null =>
  from === null || to === null ? null : to - from;

/** How many each second over a time in ms; `null` without one, and for a pace that no histogram holds. */
export const ratePerSecond = (count: number, time: number | null): number | null => {
  if (time === null || time <= 0) return null;
  const rate = (count / time) * 1000;
  return rate < sampleUpperBound ? rate : null;
};

/** When the user has the whole answer: a stream's last token, otherwise the end. */
export const answeredAt = (observation: Observation): Instant =>
  observation.outcome.kind === 'completed' && observation.outcome.answer.kind === 'chat-stream'
    ? (observation.outcome.answer.lastToken ?? observation.ended)
    : observation.ended;

/** The times between consecutive instants. */
export const gapsOf = (instants: Float64Array): Float64Array => {
  const gaps = new Float64Array(Math.max(0, instants.length - 1));
  for (let i = 1; i < instants.length; i += 1) gaps[i - 1] = instants[i]! - instants[i - 1]!;
  return gaps;
};
