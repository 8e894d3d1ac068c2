import { z } from 'zod';
import { outcomeSchema } from './outcome.ts';
import {
  type AttemptFacts,
  attemptFactsSchema,
  gaveUpNames,
  readyAt,
  retriedAttemptSchema,
} from './attempt.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

/**
 * The header of an observations file, `observations/1`. Each further line is one observation, with instants in ms since
 * the run began. The file contains no prompts and no texts of answers. The file contains the server's messages about
 * failures, with secrets masked.
 */
export const observationsHeaderSchema = z.strictObject({
  format: z.literal('observations/1'),
  weir: z.string(),
  planHash: z.string(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  /**
   * The run's instant 0 on the monotonic clock of the machine, in ms. All processes of the machine share this clock.
   */
  machineZero: z.number(),
});
export type ObservationsHeader = z.infer<typeof observationsHeaderSchema>;

/**
 * The longest times in ms that parts of answers may have waited in the event loop until Weir read them. A time below a
 * tenth of a ms is stored as 0.
 */
export const readDelaysSchema = z.strictObject({
  /** The possible delay of the first token or audio; `null` for an answer that is not streamed. */
  first: millisecondsSchema.nullable(),
  /** The possible delay of the last token of a stream, or of the end of any other answer. */
  end: millisecondsSchema,
  /**
   * The possible delay of each token event; `null` if the answer has no token events, or if the stream is not in the
   * sample.
   */
  tokens: z.array(millisecondsSchema).readonly().nullable(),
  /** The delays in `tokens` stand for this many streams, because most streams are not in the sample; absent means 1. */
  weight: z.int().positive().optional(),
});
export type ReadDelays = z.input<typeof readDelaysSchema>;

/**
 * One arrival with its outcome. The instants at the top level belong to the last attempt. Derived times are not stored:
 * the end-to-end time is `ended − due`, the service time is `ended − sent`, and the generator's lag is `begun −
 * released`.
 */
export const observationSchema = z.strictObject({
  requestId: z.string(),
  stage: z.int().nonnegative(),
  index: z.int().nonnegative(),
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  due: instantSchema,
  ...attemptFactsSchema.shape,
  earlier: z.array(retriedAttemptSchema).readonly(),
  /** The reason why the failure was not retried; `null` if the plan does not retry such failures. */
  gaveUp: z.enum(gaveUpNames).nullable(),
  outcome: outcomeSchema,
  /**
   * `true` if the client planned to hang up on the request, whatever happened to the request. No figure of times
   * contains such a request, because only fast requests end before the hang-up.
   */
  toCancel: z.literal(true).optional(),
  /**
   * The possible delays of the reads of an answer; absent in old files. For an answer that failed, only `first` is
   * used.
   */
  readDelays: readDelaysSchema.optional(),
});
export type Observation = Omit<z.infer<typeof observationSchema>, 'readDelays'> & {
  readonly readDelays?: ReadDelays | undefined;
};

/** Returns all attempts of an arrival. The list is empty if no attempt was started. */
export const attemptsOf = (
  observation: Observation,
): readonly (AttemptFacts & Pick<Observation, 'outcome'>)[] => {
  const { earlier, outcome } = observation;
  if (outcome.kind === 'dropped') return earlier;
  return earlier.length === 0 ? [observation] : [...earlier, observation];
};

/** Returns whether at least the first byte of one attempt was written. */
export const wasSent = (observation: Observation): boolean =>
  attemptsOf(observation).some(({ sent }) => sent !== null);

/** Returns the sum of the waits before retries, in ms; `null` without retries. */
export const retryWaitOf = ({ earlier }: Observation): number | null =>
  earlier.length === 0 ? null : earlier.reduce((sum, { wait }) => sum + wait, 0);

/** Returns how long all attempts waited because of the pace, in ms; `null` without a pace. */
export const paceWaitOf = (observation: Observation): number | null =>
  observation.reserved === null
    ? null
    : attemptsOf(observation).reduce(
        (sum, { released }, attempt) => sum + released - readyAt(observation, attempt),
        0,
      );
