import { namedLimits, refusalForms } from '../observation/outcome.ts';
import { z } from 'zod';
import { limitCheckSchema, limiterClassNames } from './limit-log.ts';

const count = z.int().nonnegative();

/** The highest amount admitted within one minute: certainly, and possibly (`null` if a part is unknown). */
const admittedPeakSchema = z.strictObject({ least: count, most: count.nullable() });
export type AdmittedPeak = z.infer<typeof admittedPeakSchema>;

/**
 * The number of refusals by the accuracy of their retry time, compared with the next admission; `unknown` if there was
 * none.
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
  /** The number of 429s by the limit that they named; `none` means no limit. */
  units: z.partialRecord(z.enum([...namedLimits, 'none']), count),
  forms: z.partialRecord(z.enum(refusalForms), count),
  retryAfter: retryAfterAccuracySchema,
  resetTime: retryAfterAccuracySchema,
  /** Blocked periods: each lasts from a 429 until the next admitted request. */
  stretches: count,
  /** The length of the longest blocked period, in ms; `null` if none has ended. */
  longestStretch: z.number().nullable(),
});
export type KeyRefusals = z.infer<typeof keyRefusalsSchema>;

/** The number of decisions of a key that are replayed, from the first on. More would cost much time and add little. */
export const replayedDecisions = 400;

const keyLimitsSchema = z.strictObject({
  key: z.string(),
  requests: admittedPeakSchema,
  tokens: admittedPeakSchema,
  refusals: keyRefusalsSchema.nullable(),
  /** The limiter classes that explain the replayed decisions; `null` if nothing was refused. */
  explainedBy: z.array(z.enum(limiterClassNames)).readonly().nullable(),
  checks: z.array(limitCheckSchema).readonly(),
});
export type KeyLimits = z.infer<typeof keyLimitsSchema>;

/** What the ledger of a run proves about the limits of its keys. */
export const runLimitsSchema = z.strictObject({
  /** The findings by key; empty for slices with separate clocks. */
  keys: z.array(keyLimitsSchema).readonly(),
  /** The number of 429s after the warm-up for which a declared limit may have been used up; `null` if unknown. */
  explained: count.nullable().optional(),
  /** Whether the scenario requests a verdict. */
  judged: z.boolean(),
  /** Whether a limit is violated (exit 14); false if the scenario requests no verdict. */
  violated: z.boolean(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** The default limits of each API key (interface 8). */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
