import { z } from 'zod';
import { tokenClasses } from '../workload/price.ts';

const count = z.int().nonnegative();

/**
 * The fates of the attempts in a bill. An attempt completed, failed, was retried, or was cancelled because the client
 * hung up.
 */
export const billFates = ['completed', 'failed', 'retried', 'cancelled'] as const;
export type BillFate = (typeof billFates)[number];

/**
 * What is known about chats that did not complete and whose cost the server did not report. `received` counts the
 * received tokens. `asked` is the sum of the requests' token maxima. `unlimited` is the number of chats without a token
 * maximum.
 */
const unreportedSchema = z.strictObject({ received: count, asked: count, unlimited: count });

/** The sums over the attempts of one fate. An attempt that the server refused costs nothing and is in no bill. */
export const billSchema = z.strictObject({
  /** How many attempts have a known cost (`known`), and how many have an unknown cost (`unknown`). */
  known: count,
  unknown: count,
  /** The cost in millionths of the currency. */
  cost: count,
  /** The tokens of the attempts with a known cost, by class; absent for traffic without tokens. */
  tokens: z.record(z.enum(tokenClasses), count).optional(),
  /** What limits the cost of the attempts whose cost is unknown; absent for completed attempts and in old files. */
  unreported: unreportedSchema.optional(),
});
export type Bill = z.infer<typeof billSchema>;

export const billsSchema = z.partialRecord(z.enum(billFates), billSchema);
export type Bills = z.infer<typeof billsSchema>;
