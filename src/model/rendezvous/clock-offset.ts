import { z } from 'zod';

/**
 * The time, in ms, by which one clock is ahead of another clock. The true time lies within `uncertainty` of `offset`.
 */
export const clockOffsetSchema = z.strictObject({
  offset: z.number(),
  uncertainty: z.number().nonnegative(),
});
export type ClockOffset = z.infer<typeof clockOffsetSchema>;
