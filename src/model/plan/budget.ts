import { z } from 'zod';

const cap = z.int().positive().nullable();

/** What a run may spend at most; `null` for any amount. It judges no figure and changes no request: a run that reaches it is ended. */
export const budgetSchema = z.strictObject({
  /** Requests sent, further attempts included. */
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
