import { z } from 'zod';

const cap = z.int().positive().nullable();

/** The maximum that a run may spend of each unit; `null` means no limit. A run that reaches a maximum ends. */
export const budgetSchema = z.strictObject({
  /** The number of requests, including retries. */
  requests: cap,
  /** The sum of the tokens of all prompts and answers. */
  tokens: cap,
  /** The cost, in whole millionths of the currency. */
  cost: cap,
});
export type Budget = z.infer<typeof budgetSchema>;

export const budgetUnits = [
  'requests',
  'tokens',
  'cost',
] as const satisfies readonly (keyof Budget)[];
export type BudgetUnit = (typeof budgetUnits)[number];
