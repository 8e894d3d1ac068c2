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
 * The header of an observations file, `observations/1`. Each further line is one observation, with instants in ms
 * since the run began. Prompts and the texts of answers are not stored. A server's message about a failure is stored
 * with its secrets masked.
 */
export const observationsHeaderSchema = z.strictObject({
  format: z.literal('observations/1'),
  weir: z.string(),
  planHash: z.string(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  /** Instant 0 on the machine's monotonic clock in ms, which all its processes share. */
  machineZero: z.number(),
});
export type ObservationsHeader = z.infer<typeof observationsHeaderSchema>;

/** The longest time that the bytes of an answer can have waited in the event loop, in ms; 0 for less than a tenth. */
export const readDelaysSchema = z.strictObject({
  /** The delay of the first token or audio; `null` for an answer that comes whole. */
  first: millisecondsSchema.nullable(),
  /** The delay of the last token of a stream, or of the end of any other answer. */
  end: millisecondsSchema,
  /** The delay of each token event; `null` if there is none, or if the stream is not in the sample. */
  tokens: z.array(millisecondsSchema).readonly().nullable(),
  /** The number of streams that `tokens` represents, since others are left out; 1 if absent. */
  weight: z.int().positive().optional(),
});
export type ReadDelays = z.input<typeof readDelaysSchema>;

/**
 * One arrival with its outcome. The instants at the top level belong to the last attempt. Derived figures are not
 * stored: end to end counts from `due`, service time is `ended − sent`, the generator's lag `begun − released`.
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
  /** Why the failure was not retried; `null` if the plan does not retry such failures. */
  gaveUp: z.enum(gaveUpNames).nullable(),
  outcome: outcomeSchema,
  /** The read delays of answers, also of those that failed after their first token or audio; absent in old files. */
  readDelays: readDelaysSchema.optional(),
});
export type Observation = Omit<z.infer<typeof observationSchema>, 'readDelays'> & {
  readonly readDelays?: ReadDelays | undefined;
};

/** Returns all attempts; none for an arrival that was never started. */
export const attemptsOf = (
  observation: Observation,
): readonly (AttemptFacts & Pick<Observation, 'outcome'>)[] =>
  observation.outcome.kind === 'dropped'
    ? observation.earlier
    : [...observation.earlier, observation];

/** Returns whether at least the first byte of one attempt was written. */
export const wasSent = (observation: Observation): boolean =>
  attemptsOf(observation).some(({ sent }) => sent !== null);

/** Returns the sum of the waits before further attempts, in ms; `null` without retries. */
export const retryWaitOf = ({ earlier }: Observation): number | null =>
  earlier.length === 0 ? null : earlier.reduce((sum, { wait }) => sum + wait, 0);

/** Returns how long all attempts waited for a place within the limits, in ms; `null` without a pace. */
export const paceWaitOf = (observation: Observation): number | null =>
  observation.reserved === null
    ? null
    : attemptsOf(observation).reduce(
        (sum, { released }, attempt) => sum + released - readyAt(observation, attempt),
        0,
      );
