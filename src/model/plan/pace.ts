import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

const maxPerWindow = z.int().positive().nullable();

/** What each key uses within any window of time, as a compliant client; `null` for any amount. */
export const paceSchema = z.strictObject({
  requests: maxPerWindow,
  /** Prompt and completion. */
  tokens: maxPerWindow,
  /** The most requests at once, before even spacing; absent: as many as the gateway turns out to admit. */
  burst: z.int().positive().optional(),
  window: millisecondsSchema,
  /** The maximum time until the server counts a sent request, by which each window is longer. */
  margin: millisecondsSchema,
  /** Whether the server charges tokens on admission, or at any time until the answer has ended. */
  charged: z.enum(['sent', 'ended']),
});
export type Pace = z.infer<typeof paceSchema>;
