import { z } from 'zod';
import { outcomeKinds } from '../observation/outcome.ts';
import { instantSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** One sampled request; times in ms, to whole thousandths. */
const rowSchema = z.tuple([
  /** The stage's place in the plan, and the arrival's in the stage. */
  z.int().nonnegative(),
  z.int().nonnegative(),
  /** When it was due. */
  instantSchema,
  /** From due to its end; `null` if it was never sent. */
  z.number().nullable(),
  /** Time to first token, and the input tokens, of completed streamed chats. */
  z.number().nullable(),
  z.number().nullable(),
]);

/** Requests of one kind and outcome, for pictures. Each completed or failed one had the same chance to be kept. */
export const requestSampleSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(outcomeKinds),
  /** How many there were. `rows` has at most as many; a checkpoint has them in parts. */
  count: z.int().nonnegative(),
  rows: z.array(rowSchema),
});
export type RequestSample = z.infer<typeof requestSampleSchema>;
export type SampledRow = RequestSample['rows'][number];

/** How many completed and failed requests of a run are kept. */
export const sampledRequests = { completed: 2000, failed: 1000 } as const;
