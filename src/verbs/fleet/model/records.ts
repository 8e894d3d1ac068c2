import { z } from 'zod';

/**
 * What coordinator and workers write into their rendezvous. The run's record and the claims are created once; every other
 * record has one writer, which replaces it. A claim is the fence: whoever does not hold it sends nothing.
 */

const ordinal = z.int().nonnegative();

export const rendezvousRunSchema = z.strictObject({
  format: z.literal('rendezvous/1'),
  /** Part of every other key, so that what is left of an earlier run is never taken for this one. */
  id: z.string().min(1),
  weir: z.string(),
  runId: z.string(),
  name: z.string(),
  planHash: z.string(),
  /** SHA-256 of the plan as it is stored. */
  planDigest: z.string(),
  slices: z.int().positive(),
  /** Whoever was silent for so many ms is gone: workers stop by themselves, the coordinator counts a slice as lost. */
  silence: z.number().positive(),
});
export type RendezvousRun = z.infer<typeof rendezvousRunSchema>;

/** What the coordinator says to all workers. */
export const coordinatorRecordSchema = z.strictObject({
  /** Grows with every sign of life. */
  beat: ordinal,
  /** When the load begins, by the coordinator's clock, in ms since 1970. */
  startAt: z.number().nullable(),
  /** How often everything was stopped: once lets requests in flight end, twice does not. */
  stops: ordinal,
  /** The slices that are lost; their workers send nothing more. */
  lost: z.array(ordinal),
  /** The slices whose results have arrived. */
  collected: z.array(ordinal),
});
export type CoordinatorRecord = z.infer<typeof coordinatorRecordSchema>;

const sliceProgressSchema = z.strictObject({
  /** In ms since the load began. */
  elapsed: z.number(),
  due: ordinal,
  inFlight: ordinal,
  /** How many requests have ended in each way so far. */
  outcomes: z.record(z.string(), ordinal),
  /** By kind of traffic: values in steps of 5 %, and how often each was seen. */
  latencies: z.record(z.string(), z.array(z.tuple([z.number(), ordinal]))),
});
export type SharedProgress = z.infer<typeof sliceProgressSchema>;

/** What the worker of a slice says to the coordinator. */
export const workerRecordSchema = z.strictObject({
  worker: z.string(),
  host: z.string(),
  beat: ordinal,
  phase: z.enum(['opening', 'ready', 'running', 'ended', 'failed']),
  message: z.string().nullable(),
  /** How far its clock is ahead of the coordinator's, and how sure that is, in ms. */
  clock: z.strictObject({ offset: z.number(), uncertainty: z.number().nonnegative() }).nullable(),
  progress: sliceProgressSchema.nullable(),
  /** Its result's SHA-256, and whether the slice sent all that it had to. */
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

/** Reads a record; `null` where there is none, or it has another form: then another version wrote it. */
export const readRecord = <T>(schema: z.ZodType<T>, text: string | null): T | null => {
  if (text === null) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};
