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
 * The lines of an observations file, `observations/1`: one header, then one observation per line
 * with every instant in ms since the run began. There is no field for a prompt or the text of an
 * answer; what a server said about a failure is kept, secrets masked.
 */
export const observationsHeaderSchema = z.strictObject({
  format: z.literal('observations/1'),
  weir: z.string(),
  planHash: z.string(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  /** Instant 0 on the machine's monotonic clock, in ms: relates these instants to those of other processes of the machine. */
  machineZero: z.number(),
});
export type ObservationsHeader = z.infer<typeof observationsHeaderSchema>;

/** How long the bytes of an answer's reads can have waited in the event loop, in ms; 0 for less than a tenth. */
export const readDelaysSchema = z.strictObject({
  /** Of the read with the first token or audio; `null` for an answer that comes whole. */
  first: millisecondsSchema.nullable(),
  /** Of the read with the last token of a stream, or the end of any other answer. */
  end: millisecondsSchema,
  /** Of the read of each token event; `null` without any, and for streams that are not in the sample. */
  tokens: z.array(millisecondsSchema).readonly().nullable(),
  /** How many streams the tokens' delays count for: those of a sample count for the ones left out; 1 if absent. */
  weight: z.int().positive().optional(),
});
export type ReadDelays = z.input<typeof readDelaysSchema>;

/**
 * One arrival with exactly one outcome, after any number of attempts. The instants at the top are
 * those of the last attempt. All instants are recorded and derived figures are never stored: end to
 * end counts from `due`, service time is `ended − sent`, the generator's lag `begun − released`.
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
  /** The attempts before the last one, in order; empty without retries. */
  earlier: z.array(retriedAttemptSchema).readonly(),
  /** Why a failure that the plan would retry was not retried; `null` for any other end. */
  gaveUp: z.enum(gaveUpNames).nullable(),
  outcome: outcomeSchema,
  /** Of completed requests; absent in files of earlier versions. */
  readDelays: readDelaysSchema.optional(),
});
export type Observation = Omit<z.infer<typeof observationSchema>, 'readDelays'> & {
  readonly readDelays?: ReadDelays | undefined;
};

/** All attempts at an arrival, including the last one; none for an arrival that was never started. */
export const attemptsOf = (
  observation: Observation,
): readonly (AttemptFacts & Pick<Observation, 'outcome'>)[] =>
  observation.outcome.kind === 'dropped'
    ? observation.earlier
    : [...observation.earlier, observation];

/** Whether at least the first byte of one attempt was written. */
export const wasSent = (observation: Observation): boolean =>
  attemptsOf(observation).some(({ sent }) => sent !== null);

/** The sum of the waits before further attempts, in ms; `null` without retries. */
export const retryWaitOf = ({ earlier }: Observation): number | null =>
  earlier.length === 0 ? null : earlier.reduce((sum, { wait }) => sum + wait, 0);

/** From ready to released over all attempts, in ms: the wait for a free place within the limits; `null` without a pace. */
export const paceWaitOf = (observation: Observation): number | null =>
  observation.reserved === null
    ? null
    : attemptsOf(observation).reduce(
        (sum, { released }, attempt) => sum + released - readyAt(observation, attempt),
        0,
      );
