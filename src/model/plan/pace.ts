import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

const maxPerWindow = z.int().positive().nullable();

/** The moments at which a gateway can charge tokens. A pace distinguishes only these three moments. */
export const chargingMoments = ['sent', 'prompt-sent', 'ended'] as const;

/** How a gateway charges tokens, as `weir limits` found by an examination of its token limit. */
export const learnedChargingSchema = z.object({
  charged: z.enum(chargingMoments),
  settle: millisecondsSchema,
  /** The charge of a request as a multiple of its usage, at least 1. */
  times: z.number().min(1),
});
export type LearnedCharging = z.infer<typeof learnedChargingSchema>;

const paceAmountsSchema = z.strictObject({
  requests: maxPerWindow,
  /** The sum of the tokens of prompts and answers. */
  tokens: maxPerWindow,
  /**
   * The maximum number of requests that may be sent at once. Further requests are evenly spread. If the field is
   * absent, the engine learns the number from the requests that the gateway admits.
   */
  burst: z.int().positive().optional(),
});
export type PaceAmounts = z.infer<typeof paceAmountsSchema>;

/** The maximum that each key may use within any window of time; `null` means no limit. */
export const paceSchema = paceAmountsSchema.extend({
  window: millisecondsSchema,
  /** The server may count a request up to this long after it was sent. Each window is extended by this time. */
  margin: millisecondsSchema,
  /**
   * When the server charges tokens. `sent`: on admission. `prompt-sent`: the prompt on admission, and the answer later.
   * `ended`: all tokens at an unknown moment before the answer ends.
   */
  charged: z.enum(chargingMoments),
  /**
   * The longest measured time, in ms, from the end of an answer until the server has charged all tokens of the answer.
   * Absent if the server has charged them when the answer ends.
   */
  settle: millisecondsSchema.exactOptional(),
  /** The engine lowers these limits if headers of answers declare lower ones; absent if it lowers none. */
  follows: z
    .array(z.enum(['requests', 'tokens']))
    .readonly()
    .exactOptional(),
  /** The amounts of each key, in the order of the keys; absent if all keys have the same amounts. */
  keys: z.array(paceAmountsSchema).readonly().exactOptional(),
});
export type Pace = z.infer<typeof paceSchema>;

export const paceAmounts = (pace: Pace, count: number): readonly PaceAmounts[] =>
  pace.keys ??
  Array.from({ length: count }, () => ({
    requests: pace.requests,
    tokens: pace.tokens,
    burst: pace.burst,
  }));
