import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

const maxPerWindow = z.int().positive().nullable();

/** A compliant client: what each key uses within any window of time; `null`: unlimited. */
export const paceSchema = z.strictObject({
  requests: maxPerWindow,
  /** Prompt and completion. */
  tokens: maxPerWindow,
  /** The most requests at once, then evenly spread; without it, as many as the gateway turns out to admit. */
  burst: z.int().positive().optional(),
  window: millisecondsSchema,
  /** Maximum delay until the server counts a sent request: each window is extended by it. */
  margin: millisecondsSchema,
  /** Whether the server charges tokens when it admits a request, or at any time until the answer has ended. */
  charged: z.enum(['sent', 'ended']),
});
export type Pace = z.infer<typeof paceSchema>;
