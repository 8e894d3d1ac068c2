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
 * since the run began. Prompts and the texts of answers have no field; what a server said of a failure is kept,
 * secrets masked.
 */
export const observationsHeaderSchema = z.strictObject({
  format: z.literal('observations/1'),
  weir: z.string(),
  planHash: z.string(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  /** Instant 0 on the machine's monotonic clock, in ms, which all its processes share. */
  machineZero: z.number(),
});
export type ObservationsHeader = z.infer<typeof observationsHeaderSchema>;

/** How long the bytes of an answer can have waited in the event loop, in ms; 0 for less than a tenth. */
export const readDelaysSchema = z.strictObject({
  /** Of the first token or audio; `null` for an answer that comes whole. */
  first: millisecondsSchema.nullable(),
  /** Of the last token of a stream, or the end of any other answer. */
  end: millisecondsSchema,
  /** Of each token event; `null` without any, and for streams that are not in the sample. */
  tokens: z.array(millisecondsSchema).readonly().nullable(),
  /** How many streams `tokens` counts for, since others are left out; 1 if absent. */
  weight: z.int().positive().optional(),
});
export type ReadDelays = z.input<typeof readDelaysSchema>;

/**
 * One arrival with its outcome. The instants at the top are those of the last attempt. Derived figures are not
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
  /** `null` unless the plan would retry its failure. */
  gaveUp: z.enum(gaveUpNames).nullable(),
  outcome: outcomeSchema,
  /** Of completed requests; absent in old files. */
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

/** Whether at least the first byte of one attempt was written. */
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
