import { groupSchema, timelineSecondSchema } from '../measures/counts.ts';
import { z } from 'zod';
import { exemplarSchema } from './exemplar.ts';
import { ledgerSchema } from '../observation/ledger.ts';
import { planSchema } from '../plan/plan.ts';
import { instantSchema, millisecondsSchema } from '../quantity.ts';
import { failureSchema, generatorSampleSchema, sliceRunSchema } from './result.ts';

/**
 * The journal of a run under way, `checkpoint/1`: JSON Lines that are only ever appended. A header, then
 * parts of results, each for what happened since the cut before; a line with `until` makes all parts above
 * it count. So whatever kills the process, the file is good up to its last such line. Workers have each
 * a header, parts and cuts, which stand among one another's, told apart by their slices.
 */

/** The index of the slice that it is of. */
const slice = z.int().nonnegative();

export const checkpointHeaderSchema = z.strictObject({
  format: z.literal('checkpoint/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan `withoutPrompts`, and the hash of the one with them. */
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
  ledger: z.array(ledgerSchema).exactOptional(),
});

export const checkpointCommitSchema = z.strictObject({
  slice,
  /** Everything that ended before this moment is in the parts above. */
  until: instantSchema,
  /** How much of the load was over by then. */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** The generator's seconds since the cut before. */
  generator: z.array(generatorSampleSchema),
});
export type CheckpointCommit = z.infer<typeof checkpointCommitSchema>;
