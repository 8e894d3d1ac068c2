import { z } from 'zod';
import { tokenClasses } from '../workload/price.ts';

const count = z.int().nonnegative();

/** What became of the attempts that a bill adds up: answers that completed, failed, were tried again, or hung up on. */
export const billFates = ['completed', 'failed', 'retried', 'cancelled'] as const;
export type BillFate = (typeof billFates)[number];

/**
 * What is known of chats that did not complete and whose cost the server did not report: the tokens that came, those that
 * were asked for at most, and the number of chats without such a limit.
 */
const unreportedSchema = z.strictObject({ received: count, asked: count, unlimited: count });

/** The sums over attempts of one fate. An attempt that the server refused costs nothing and is not part of a bill. */
export const billSchema = z.strictObject({
  /** The number of attempts whose cost is known, and of those whose cost is not. */
  known: count,
  unknown: count,
  /** The cost in millionths of the currency. */
  cost: count,
  /** The tokens by class of the attempts with a known cost; absent for traffic without tokens. */
  tokens: z.record(z.enum(tokenClasses), count).optional(),
  /** The bounds of the attempts whose cost is unknown; absent for completed ones and in old files. */
  unreported: unreportedSchema.optional(),
});
export type Bill = z.infer<typeof billSchema>;

export const billsSchema = z.partialRecord(z.enum(billFates), billSchema);
export type Bills = z.infer<typeof billsSchema>;
