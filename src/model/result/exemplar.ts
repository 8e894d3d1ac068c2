import { outcomeKinds } from '../observation/outcome.ts';
import { z } from 'zod';
import { connectionOrigins } from '../observation/exchange.ts';
import { instantSchema } from '../quantity-schema.ts';
import { trafficKinds } from '../workload/traffic.ts';

const moment = instantSchema.nullable();

/**
 * A request that a user may look up in the server's logs: one of the slowest of its traffic kind, or one of the first
 * or last requests that failed with the same outcome. Instants belong to the last attempt. An instant is `null` if the
 * attempt ended earlier.
 */
export const exemplarSchema = z.strictObject({
  /** The id that Weir sent with the request, and the server's own id. */
  requestId: z.string(),
  serverId: z.string().nullable(),
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  key: z.string(),
  stage: z.int().nonnegative(),
  outcome: z.enum(outcomeKinds),
  status: z.int().nullable(),
  /** The cause of the failure, as in the table of failures; `null` for a completed request. */
  cause: z.string().nullable(),
  attempts: z.int().nonnegative(),
  connection: z.enum(connectionOrigins).nullable(),
  due: instantSchema,
  released: instantSchema,
  begun: instantSchema,
  connected: moment,
  sent: moment,
  head: moment,
  /**
   * When the first token of a streamed chat or the first audio of speech came; `null` if it never came, and for other
   * traffic.
   */
  output: moment,
  ended: instantSchema,
});
export type Exemplar = z.infer<typeof exemplarSchema>;
