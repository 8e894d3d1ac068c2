import { z } from 'zod';
import { parsedJson } from '../../../model/parsed-json.ts';

/**
 * This file defines the records that coordinator and workers write into their rendezvous. The run's record, and the
 * claim with which a worker takes a slice, are created once. Every other record is written and replaced by a single
 * process. A worker without a claim sends nothing.
 */

const ordinal = z.int().nonnegative();

export const rendezvousRunSchema = z.strictObject({
  format: z.literal('rendezvous/1'),
  /** The run's id. All other keys contain it, so that a record of an earlier run is never read as one of this run. */
  id: z.string().min(1),
  weir: z.string(),
  runId: z.string(),
  name: z.string(),
  planHash: z.string(),
  /** The SHA-256 of the stored plan. */
  planDigest: z.string(),
  slices: z.int().positive(),
  /**
   * The silence in ms after which the other side counts as gone. Workers then stop by themselves, and the coordinator
   * counts the slice as lost.
   */
  silence: z.number().positive(),
});
export type RendezvousRun = z.infer<typeof rendezvousRunSchema>;

export const coordinatorRecordSchema = z.strictObject({
  /** The coordinator increases this number regularly to show that it is alive. */
  beat: ordinal,
  /** When the load begins, on the coordinator's clock, in ms since 1970; `null` until all workers are ready. */
  startAt: z.number().nullable(),
  /**
   * How many times all workers were asked to stop. After the first time, requests in flight may end; after the second,
   * they are aborted.
   */
  stops: ordinal,
  /** The slices that are lost. Their workers must send nothing more. */
  lost: z.array(ordinal),
  /** The slices whose results have arrived. */
  collected: z.array(ordinal),
});
export type CoordinatorRecord = z.infer<typeof coordinatorRecordSchema>;

const sliceProgressSchema = z.strictObject({
  /** The time since the load began, in ms. */
  elapsed: z.number(),
  due: ordinal,
  inFlight: ordinal,
  outcomes: z.record(z.string(), ordinal),
  /** The latencies by traffic kind: values in steps of 5 %, each with its count. */
  latencies: z.record(z.string(), z.array(z.tuple([z.number(), ordinal]))),
});
export type SharedProgress = z.infer<typeof sliceProgressSchema>;

export const workerRecordSchema = z.strictObject({
  worker: z.string(),
  host: z.string(),
  beat: ordinal,
  phase: z.enum(['opening', 'ready', 'running', 'ended', 'failed']),
  message: z.string().nullable(),
  /**
   * How far the worker's clock is ahead of the coordinator's clock, and by how much this offset may be wrong, in ms.
   */
  clock: z.strictObject({ offset: z.number(), uncertainty: z.number().nonnegative() }).nullable(),
  progress: sliceProgressSchema.nullable(),
  /** Set at the end: the SHA-256 of the slice's result, and whether the slice ran its load to the end. */
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

/** Returns the JSON value of a record's content; `undefined` if the content is not JSON. */
export const jsonOf = (content: Uint8Array): unknown =>
  parsedJson(new TextDecoder().decode(content));

/** Reads a record. Returns `null` if the record is missing, or has the form of another version. */
export const readRecord = <T>(schema: z.ZodType<T>, text: string | null): T | null =>
  text === null ? null : (schema.safeParse(parsedJson(text)).data ?? null);
