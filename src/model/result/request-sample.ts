import { z } from 'zod';
import { outcomeKinds } from '../observation/outcome.ts';
import { instantSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** The columns of one sampled request; times in ms, to whole thousandths. */
const columns = [
  /** The stage's place in the plan, and the arrival's in the stage. */
  z.int().nonnegative(),
  z.int().nonnegative(),
  /** When it was due. */
  instantSchema,
  /** From due to the end of its answer or its failure; `null` if it was never sent. */
  z.number().nullable(),
  /** Time to first token, and the input tokens, of completed streamed chats; `null` otherwise. */
  z.number().nullable(),
  z.number().nullable(),
] as const;

/**
 * Some of the requests of one traffic kind that ended in one way, for pictures. Of all completed requests of
 * a run, and of all failed ones, each had the same chance to be kept, whatever its figures were.
 */
export const requestSampleSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(outcomeKinds),
  /** How many there were; `rows` has some or all of them. A checkpoint counts them once and has the rows in parts. */
  count: z.int().nonnegative(),
  rows: z.array(z.tuple([...columns])),
});
export type RequestSample = z.infer<typeof requestSampleSchema>;
export type SampledRow = RequestSample['rows'][number];

/** How many completed requests of a run are kept, and how many failed ones. */
export const sampledRequests = { completed: 2000, failed: 1000 } as const;
