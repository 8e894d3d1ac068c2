import { z } from 'zod';
import { millisecondsSchema } from '../quantity.ts';

const maxPerWindow = z.int().positive().nullable();

/** A client that complies: what each key may use within any window of time; `null` for any number. */
export const paceSchema = z.strictObject({
  requests: maxPerWindow,
  /** Prompt and completion. */
  tokens: maxPerWindow,
  window: millisecondsSchema,
  /** How much later than it was sent the server may count a request: each window is kept free for that much longer. */
  margin: millisecondsSchema,
  /** Whether the server charges tokens when it admits a request, or at any moment until its answer has ended. */
  charged: z.enum(['sent', 'ended']),
});
export type Pace = z.infer<typeof paceSchema>;
