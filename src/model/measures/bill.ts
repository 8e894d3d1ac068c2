import { z } from 'zod';
import { tokenClasses } from '../workload/price.ts';

const count = z.int().nonnegative();

/** The fates of the attempts in a bill: they completed, failed, were tried again, or the client hung up on them. */
export const billFates = ['completed', 'failed', 'retried', 'cancelled'] as const;
export type BillFate = (typeof billFates)[number];

/**
 * The known facts about chats that did not complete and whose cost the server did not report: the tokens that came, the
 * most tokens that were asked for, and the number of chats without such a maximum.
 */
const unreportedSchema = z.strictObject({ received: count, asked: count, unlimited: count });

/** The sums over attempts of one fate. Attempts that the server refused cost nothing, so no bill has them. */
export const billSchema = z.strictObject({
  /** The number of attempts whose cost is known. `unknown` counts the attempts whose cost is not known. */
  known: count,
  unknown: count,
  /** The cost in millionths of the currency. */
  cost: count,
  /** The tokens of the attempts with a known cost, by class; absent for traffic without tokens. */
  tokens: z.record(z.enum(tokenClasses), count).optional(),
  /** The bounds of the attempts whose cost is unknown; absent for completed attempts, and in old files. */
  unreported: unreportedSchema.optional(),
});
export type Bill = z.infer<typeof billSchema>;

export const billsSchema = z.partialRecord(z.enum(billFates), billSchema);
export type Bills = z.infer<typeof billsSchema>;
