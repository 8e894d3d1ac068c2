import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

/**
 * The failures that can be retried: 429, 5xx, no connection, or no response head for a request that may have been sent.
 */
export const retryClasses = ['limited', 'server-error', 'connect', 'unanswered'] as const;
export type RetryClass = (typeof retryClasses)[number];

/**
 * The retries of an arrival. Unless the server names a wait, the wait before retry n = 0, 1, … is uniform in [0,
 * min(cap, base·2^n)] (exponential backoff with full jitter).
 */
export const retrySchema = z.strictObject({
  /** The maximum number of attempts, including the first one. */
  attempts: z.int().positive(),
  base: millisecondsSchema,
  cap: millisecondsSchema,
  on: z.array(z.enum(retryClasses)).min(1),
});
export type Retry = z.infer<typeof retrySchema>;
