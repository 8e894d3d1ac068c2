import { outcomeKinds } from '../observation/outcome.ts';
import { z } from 'zod';
import { instantSchema } from '../quantity.ts';
import { trafficKinds } from '../workload/traffic.ts';

const moment = instantSchema.nullable();

/**
 * One request told by itself, so that it can be looked up in the server's logs: one of the slowest
 * completed ones of its kind, or one of the first or last that failed in its way. Instants are of the
 * last attempt; `null` where it never came so far.
 */
export const exemplarSchema = z.strictObject({
  /** Ours, as sent; and the server's own. */
  requestId: z.string(),
  serverId: z.string().nullable(),
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  key: z.string(),
  /** The stage's place in the plan. */
  stage: z.int().nonnegative(),
  outcome: z.enum(outcomeKinds),
  /** Of the response's head, whatever came after it. */
  status: z.int().nullable(),
  /** As in the table of failures; `null` for a completed one. */
  cause: z.string().nullable(),
  attempts: z.int().nonnegative(),
  connection: z.enum(['new', 'reused']).nullable(),
  due: instantSchema,
  released: instantSchema,
  begun: instantSchema,
  connected: moment,
  sent: moment,
  /** The head of the response. */
  head: moment,
  /** The first token of a stream, the first audio of speech. */
  output: moment,
  ended: instantSchema,
});
export type Exemplar = z.infer<typeof exemplarSchema>;
