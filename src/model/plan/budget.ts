import { z } from 'zod';

const cap = z.int().positive().nullable();

/** What a run can spend, `null` for any amount. A run that has spent it is ended. */
export const budgetSchema = z.strictObject({
  /** Including further attempts. */
  requests: cap,
  /** Prompt and completion, over all requests. */
  tokens: cap,
  /** Whole micro-units of the currency. */
  cost: cap,
});
export type Budget = z.infer<typeof budgetSchema>;

export const budgetUnits = [
  'requests',
  'tokens',
  'cost',
] as const satisfies readonly (keyof Budget)[];
export type BudgetUnit = (typeof budgetUnits)[number];
