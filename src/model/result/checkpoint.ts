import { groupSchema, timelineSecondSchema } from '../measures/counts.ts';
import { z } from 'zod';
import { exemplarSchema } from './exemplar.ts';
import { ledgerSchema } from '../observation/ledger.ts';
import { planSchema } from '../plan/plan.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';
import { requestSampleSchema } from './request-sample.ts';
import { failureSchema, generatorSampleSchema, sliceRunSchema } from './result.ts';

/**
 * The journal of a run in progress, `checkpoint/1`. Weir only appends JSON lines to the journal: a header, parts of
 * results, and commit lines (with `until`). A part counts only if a commit line follows, so the file stays valid if the
 * process is killed. Each worker has its own header, parts and commit lines, marked by the slice of the worker.
 */

const slice = z.int().nonnegative();

export const checkpointHeaderSchema = z.strictObject({
  format: z.literal('checkpoint/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan without its prompts (`withoutPrompts`). `planHash` is the hash of the plan with its prompts. */
  plan: planSchema,
  planHash: z.string(),
  slice: sliceRunSchema.omit({ generator: true }),
  notes: z.array(z.string()),
});
export type CheckpointHeader = z.infer<typeof checkpointHeaderSchema>;

export const checkpointPartSchema = z.strictObject({
  slice,
  groups: z.array(groupSchema).exactOptional(),
  timeline: z.array(timelineSecondSchema).exactOptional(),
  failures: z.array(failureSchema).exactOptional(),
  exemplars: z.array(exemplarSchema).exactOptional(),
  requestSample: z.array(requestSampleSchema).exactOptional(),
  ledger: z.array(ledgerSchema).exactOptional(),
});

export const checkpointCommitSchema = z.strictObject({
  slice,
  /** The parts above this line contain every arrival that ended up to this instant. */
  until: instantSchema,
  /** The elapsed part of the load at the instant `until`. */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** The load generator's samples since the previous commit line. */
  generator: z.array(generatorSampleSchema),
});
export type CheckpointCommit = z.infer<typeof checkpointCommitSchema>;
