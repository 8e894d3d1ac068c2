import { z } from 'zod';
import { outcomeKinds } from '../observation/outcome.ts';
import { instantSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** One sampled request. Times are in ms, rounded to thousandths. */
const rowSchema = z.tuple([
  /** The index of the stage in the plan, and the index of the arrival in the stage. */
  z.int().nonnegative(),
  z.int().nonnegative(),
  /** When the request was due. */
  instantSchema,
  /** The time from the due instant to the end; `null` if the request was never sent. */
  z.number().nullable(),
  /**
   * The time to first token, and the number of input tokens. Both are `null` for all requests other than completed
   * streamed chats.
   */
  z.number().nullable(),
  z.number().nullable(),
]);

/**
 * A sample of the requests of one traffic kind and outcome, for charts. All completed and cancelled requests of the run
 * had the same chance to be sampled, and so had all failed requests.
 */
export const requestSampleSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(outcomeKinds),
  /**
   * The number of requests from which the rows were drawn. A result never has more rows. In a checkpoint, the rows of a
   * sample are spread over several parts.
   */
  count: z.int().nonnegative(),
  rows: z.array(rowSchema),
});
export type RequestSample = z.infer<typeof requestSampleSchema>;
export type SampledRow = RequestSample['rows'][number];

export const sampledRequests = { completed: 2000, failed: 1000 } as const;
