import { namedLimits, refusalForms } from '../observation/outcome.ts';
import { z } from 'zod';
import { limitCheckSchema, limiterClassNames } from './limit-log.ts';

const count = z.int().nonnegative();

/**
 * How much was admitted at most within one minute, as a lower and an upper bound. `most` is `null` if the amount of
 * some request is unknown.
 */
const admittedPeakSchema = z.strictObject({ least: count, most: count.nullable() });
export type AdmittedPeak = z.infer<typeof admittedPeakSchema>;

/**
 * The number of refusals by the accuracy of their retry time. Weir compares a retry time with the time of the next
 * admission. `unknown` means that no admission followed; `absent` means that the refusal named no retry time.
 */
const retryAfterAccuracySchema = z.strictObject({
  exact: count,
  conservative: count,
  deceptive: count,
  unknown: count,
  absent: count,
});
export type RetryAfterAccuracy = z.infer<typeof retryAfterAccuracySchema>;

/** The 429s of a key. Instants are in ms since the run began. */
const keyRefusalsSchema = z.strictObject({
  count,
  first: z.number(),
  last: z.number(),
  /** The number of 429s by the limit that they named. `none` counts those that named no limit. */
  units: z.partialRecord(z.enum([...namedLimits, 'none']), count),
  forms: z.partialRecord(z.enum(refusalForms), count),
  retryAfter: retryAfterAccuracySchema,
  resetTime: retryAfterAccuracySchema,
  /** The number of blocked periods. A blocked period lasts from a 429 until the next admitted request. */
  stretches: count,
  /** The length of the longest blocked period, in ms; `null` if no blocked period has ended. */
  longestStretch: z.number().nullable(),
});
export type KeyRefusals = z.infer<typeof keyRefusalsSchema>;

/**
 * At most this many decisions of a key, from the first decision on, are replayed through limiters. Replaying more
 * decisions would take long and show little.
 */
export const replayedDecisions = 400;

const keyLimitsSchema = z.strictObject({
  key: z.string(),
  requests: admittedPeakSchema,
  tokens: admittedPeakSchema,
  refusals: keyRefusalsSchema.nullable(),
  /** The limiter classes that explain the replayed decisions; `null` if none of the replayed requests was refused. */
  explainedBy: z.array(z.enum(limiterClassNames)).readonly().nullable(),
  checks: z.array(limitCheckSchema).readonly(),
});
export type KeyLimits = z.infer<typeof keyLimitsSchema>;

export const runLimitsSchema = z.strictObject({
  /** The findings by key; empty if the slices of the run have separate clocks. */
  keys: z.array(keyLimitsSchema).readonly(),
  /** The number of 429s after the warm-up that a declared limit may have caused; `null` if this number is unknown. */
  explained: count.nullable().optional(),
  /** Whether the scenario asks for a verdict on the limits. */
  judged: z.boolean(),
  /** Whether a limit is violated (exit code 14). False if the scenario asks for no verdict. */
  violated: z.boolean(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** The default limits of each API key (interface, section 8). */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
