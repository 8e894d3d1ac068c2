import { z } from 'zod';

/** The time, in ms, by which one clock is ahead of another one. The true time differs by at most `uncertainty`. */
export const clockOffsetSchema = z.strictObject({
  offset: z.number(),
  uncertainty: z.number().nonnegative(),
});
export type ClockOffset = z.infer<typeof clockOffsetSchema>;
