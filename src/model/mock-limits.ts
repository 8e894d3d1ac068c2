import { z } from 'zod';
import { milliseconds, millisecondsSchema } from './quantity.ts';

/** The limiters that the reference gateway can run, by name. */
export const limiterKinds = ['fixed-from-first'] as const;
export type LimiterKind = (typeof limiterKinds)[number];

const limit = z.int().positive().nullable();

/** The limits of each of the reference gateway's keys. */
export const mockLimitsSchema = z.strictObject({
  requestsPerMinute: limit.default(60).describe('Requests per window and key; null for any.'),
  tokensPerMinute: limit
    .default(2_000_000)
    .describe('Tokens (prompt and completion) per window and key; null for any.'),
  algorithm: z
    .enum(limiterKinds)
    .default('fixed-from-first')
    .describe('How the limits are counted.'),
  window: millisecondsSchema
    .refine((length) => length > 0, { error: 'expected a length above 0' })
    .default(milliseconds(60_000))
    .describe('The length of the limits’ minute.'),
});
export type MockLimits = z.output<typeof mockLimitsSchema>;
