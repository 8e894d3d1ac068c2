import { namedLimits, refusalForms } from '../observation/outcome.ts';
import { z } from 'zod';
import { limitCheckSchema, limiterClassNames } from './limit-log.ts';

const count = z.int().nonnegative();

/** The most admitted within one minute: certainly, and possibly (`null` if some of it is unknown). */
const admittedPeakSchema = z.strictObject({ least: count, most: count.nullable() });
export type AdmittedPeak = z.infer<typeof admittedPeakSchema>;

/** Refusals by how their retry time compares with the next admission; `unknown` if there was none. */
const retryAfterAccuracySchema = z.strictObject({
  exact: count,
  conservative: count,
  deceptive: count,
  unknown: count,
  absent: count,
});
export type RetryAfterAccuracy = z.infer<typeof retryAfterAccuracySchema>;

/** The 429s of a key. Instants in ms since the run began. */
const keyRefusalsSchema = z.strictObject({
  count,
  first: z.number(),
  last: z.number(),
  /** By the limit that they named; `none`: no limit. */
  units: z.partialRecord(z.enum([...namedLimits, 'none']), count),
  forms: z.partialRecord(z.enum(refusalForms), count),
  retryAfter: retryAfterAccuracySchema,
  resetTime: retryAfterAccuracySchema,
  /** Blocked periods: each lasts from a 429 until the next admitted request. */
  stretches: count,
  /** In ms, at most; `null` if no period has ended. */
  longestStretch: z.number().nullable(),
});
export type KeyRefusals = z.infer<typeof keyRefusalsSchema>;

/** How many decisions of a key are replayed, the first ones. More cost much and add little. */
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
  /** Empty for slices with separate clocks. */
  keys: z.array(keyLimitsSchema).readonly(),
  /** The 429s after the warm-up that a declared limit explains, since it can have been used up; `null` if unknown. */
  explained: count.nullable().optional(),
  /** Whether the scenario requests a verdict. */
  judged: z.boolean(),
  /** Whether a limit is violated (exit 14); false without a request for a verdict. */
  violated: z.boolean(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** The default limits of each API key (interface 8). */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
