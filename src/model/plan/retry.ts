import { z } from 'zod';
import { millisecondsSchema } from '../quantity.ts';

/**
 * The failures that can be tried again: 429; 5xx; no connection; and no response head to a request
 * that may have been sent. An answer that breaks the contract is none of them.
 */
export const retryClasses = ['limited', 'server-error', 'connect', 'unanswered'] as const;
export type RetryClass = (typeof retryClasses)[number];

/**
 * Further attempts at an arrival. Where the server does not say how long to wait, the wait is
 * uniform in [0, min(cap, base·2^n)] before retry n = 0, 1, … (exponential backoff with full jitter).
 */
export const retrySchema = z.strictObject({
  /** How many at most, the first one included. */
  attempts: z.int().positive(),
  base: millisecondsSchema,
  cap: millisecondsSchema,
  on: z.array(z.enum(retryClasses)).min(1),
});
export type Retry = z.infer<typeof retrySchema>;
