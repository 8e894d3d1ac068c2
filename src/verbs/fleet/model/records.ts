import { z } from 'zod';

/**
 * The records that coordinator and workers write into their rendezvous. The run's record and the claims are created
 * once. Every other record has one writer, which replaces it. A worker without a claim sends nothing.
 */

const ordinal = z.int().nonnegative();

export const rendezvousRunSchema = z.strictObject({
  format: z.literal('rendezvous/1'),
  /** The run's id, a part of every other key, so that records of an earlier run are never taken for this one's. */
  id: z.string().min(1),
  weir: z.string(),
  runId: z.string(),
  name: z.string(),
  planHash: z.string(),
  /** The SHA-256 of the stored plan. */
  planDigest: z.string(),
  slices: z.int().positive(),
  /**
   * The silence in ms after which the other side counts as gone: workers stop by themselves, the coordinator counts a
   * slice as lost.
   */
  silence: z.number().positive(),
});
export type RendezvousRun = z.infer<typeof rendezvousRunSchema>;

/** The coordinator's message to all workers. */
export const coordinatorRecordSchema = z.strictObject({
  /** A number that grows with every sign of life. */
  beat: ordinal,
  /** When the load begins, by the coordinator's clock, in ms since 1970. */
  startAt: z.number().nullable(),
  /** How often everything was stopped. The first stop lets requests in flight end, the second aborts them. */
  stops: ordinal,
  /** The lost slices; their workers send nothing more. */
  lost: z.array(ordinal),
  /** The slices whose results have arrived. */
  collected: z.array(ordinal),
});
export type CoordinatorRecord = z.infer<typeof coordinatorRecordSchema>;

const sliceProgressSchema = z.strictObject({
  /** The ms since the load began. */
  elapsed: z.number(),
  due: ordinal,
  inFlight: ordinal,
  /** The number of requests that have ended so far, by outcome. */
  outcomes: z.record(z.string(), ordinal),
  /** The latencies by kind of traffic: values in steps of 5 %, with their counts. */
  latencies: z.record(z.string(), z.array(z.tuple([z.number(), ordinal]))),
});
export type SharedProgress = z.infer<typeof sliceProgressSchema>;

/** The message of a slice's worker to the coordinator. */
export const workerRecordSchema = z.strictObject({
  worker: z.string(),
  host: z.string(),
  beat: ordinal,
  phase: z.enum(['opening', 'ready', 'running', 'ended', 'failed']),
  message: z.string().nullable(),
  /** How far its clock is ahead of the coordinator's, and how certain that is, in ms. */
  clock: z.strictObject({ offset: z.number(), uncertainty: z.number().nonnegative() }).nullable(),
  progress: sliceProgressSchema.nullable(),
  /** The SHA-256 of its result, and whether the slice sent everything that it had to. */
  result: z.strictObject({ digest: z.string(), isWhole: z.boolean() }).nullable(),
});
export type WorkerRecord = z.infer<typeof workerRecordSchema>;

export const runKey = 'run';

export const keysOf = (id: string) => ({
  plan: `${id}.plan`,
  coordinator: `${id}.coordinator`,
  claim: (slice: number): string => `${id}.claim.${slice}`,
  worker: (slice: number): string => `${id}.worker.${slice}`,
  result: (slice: number): string => `${id}.result.${slice}`,
});

/** Reads a record. Returns `null` if there is none, or if its form is that of another version. */
export const readRecord = <T>(schema: z.ZodType<T>, text: string | null): T | null => {
  if (text === null) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};
