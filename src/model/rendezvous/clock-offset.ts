import { z } from 'zod';

/** How far one clock is ahead of another, in ms. The true value lies within `uncertainty` of `offset`. */
export const clockOffsetSchema = z.strictObject({
  offset: z.number(),
  uncertainty: z.number().nonnegative(),
});
export type ClockOffset = z.infer<typeof clockOffsetSchema>;
