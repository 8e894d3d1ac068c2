import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

/**
 * The failures that can be retried: a 429, a 5xx, a connection that could not be opened, and an exchange that broke off
 * before the head of a response.
 */
export const retryClasses = ['limited', 'server-error', 'connect', 'unanswered'] as const;
export type RetryClass = (typeof retryClasses)[number];

/**
 * How an arrival is retried. The wait before a retry is the one that the server names. If the server names none, the
 * wait before retry n = 0, 1, … is uniform in [0, min(cap, base·2^n)] (exponential backoff with full jitter).
 */
export const retrySchema = z.strictObject({
  /** The maximum number of attempts, including the first attempt. */
  attempts: z.int().positive(),
  base: millisecondsSchema,
  cap: millisecondsSchema,
  on: z.array(z.enum(retryClasses)).min(1),
  /** `true` if clients ignore the wait that a server names; absent otherwise. */
  ignoresWaits: z.literal(true).exactOptional(),
});
export type Retry = z.infer<typeof retrySchema>;
