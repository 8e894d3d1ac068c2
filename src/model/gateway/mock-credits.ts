import { z } from 'zod';

/** The credits of each of the reference gateway's keys. */
export const mockCreditsSchema = z.strictObject({
  balance: z
    .int()
    .nonnegative()
    .nullable()
    .default(null)
    .describe(
      'What each key may still spend, in micro-units of the currency; once it is zero or below, answers are 402. Null for any.',
    ),
  ledger: z
    .int()
    .positive()
    .default(10_000)
    .describe('How many of the last charges the ledger keeps.'),
});
export type MockCredits = z.output<typeof mockCreditsSchema>;
