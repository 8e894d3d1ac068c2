import { z } from 'zod';
import { outcomeKinds } from '../observation/outcome.ts';
import { instantSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** One sampled request; times in ms, to whole thousandths. */
const rowSchema = z.tuple([
  /** The stage's position in the plan, and the arrival's position in the stage. */
  z.int().nonnegative(),
  z.int().nonnegative(),
  /** When the request was due. */
  instantSchema,
  /** The time from due to its end; `null` if it was never sent. */
  z.number().nullable(),
  /** The time to first token, and the input tokens, of completed streamed chats. */
  z.number().nullable(),
  z.number().nullable(),
]);

/**
 * A sample of requests of one kind, for pictures. Each completed request had the same chance to be kept, and so had
 * each failed one.
 */
export const requestSampleSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(outcomeKinds),
  /**
   * The number of requests from which the sample was drawn. `rows` has at most as many; in a checkpoint they come in
   * parts.
   */
  count: z.int().nonnegative(),
  rows: z.array(rowSchema),
});
export type RequestSample = z.infer<typeof requestSampleSchema>;
export type SampledRow = RequestSample['rows'][number];

/** The number of completed and of failed requests that are kept of a run. */
export const sampledRequests = { completed: 2000, failed: 1000 } as const;
