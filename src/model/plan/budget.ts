import { z } from 'zod';

const cap = z.int().positive().nullable();

/** The most that a run may spend; `null` for any amount. A run that has spent it is ended. */
export const budgetSchema = z.strictObject({
  /** The number of requests, including retries. */
  requests: cap,
  /** The tokens of prompts and completions, over all requests. */
  tokens: cap,
  /** The cost, in whole micro-units of the currency. */
  cost: cap,
});
export type Budget = z.infer<typeof budgetSchema>;

export const budgetUnits = [
  'requests',
  'tokens',
  'cost',
] as const satisfies readonly (keyof Budget)[];
export type BudgetUnit = (typeof budgetUnits)[number];
