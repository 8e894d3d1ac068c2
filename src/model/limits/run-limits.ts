import { namedLimits, refusalForms } from '../observation/outcome.ts';
import { z } from 'zod';
import { limitCheckSchema, limiterClassNames } from './limit-log.ts';

const count = z.int().nonnegative();

/** The maximum that was admitted within one minute: certainly, and possibly (`null` if some of it is unknown). */
const admittedPeakSchema = z.strictObject({ least: count, most: count.nullable() });
export type AdmittedPeak = z.infer<typeof admittedPeakSchema>;

/** Retry times of refusals compared with when the key was admitted again; `unknown` if nothing was admitted afterwards. */
const retryAfterAccuracySchema = z.strictObject({
  exact: count,
  conservative: count,
  deceptive: count,
  unknown: count,
  absent: count,
});
export type RetryAfterAccuracy = z.infer<typeof retryAfterAccuracySchema>;

/** All 429s of one key. Instants in ms since the run began. */
const keyRefusalsSchema = z.strictObject({
  count,
  first: z.number(),
  last: z.number(),
  /** The number that named each limit; `none`: no limit. */
  units: z.partialRecord(z.enum([...namedLimits, 'none']), count),
  forms: z.partialRecord(z.enum(refusalForms), count),
  retryAfter: retryAfterAccuracySchema,
  resetTime: retryAfterAccuracySchema,
  /** The number of blocked periods. Each lasts from a 429 until the next admitted request. */
  stretches: count,
  /** The longest blocked period in ms, at most; `null` if none has ended. */
  longestStretch: z.number().nullable(),
});
export type KeyRefusals = z.infer<typeof keyRefusalsSchema>;

/** Limiters are replayed over this many first decisions of a key: the cost is quadratic, and more add little. */
export const replayedDecisions = 400;

const keyLimitsSchema = z.strictObject({
  key: z.string(),
  requests: admittedPeakSchema,
  tokens: admittedPeakSchema,
  refusals: keyRefusalsSchema.nullable(),
  /** The limiter classes that explain the first `replayedDecisions`; `null` if nothing was refused. */
  explainedBy: z.array(z.enum(limiterClassNames)).readonly().nullable(),
  checks: z.array(limitCheckSchema).readonly(),
});
export type KeyLimits = z.infer<typeof keyLimitsSchema>;

/** What the ledger of a run proves about the limits of its keys. */
export const runLimitsSchema = z.strictObject({
  /** Empty if the run has several slices: their clocks differ. */
  keys: z.array(keyLimitsSchema).readonly(),
  /**
   * Arrivals after the warm-up that were answered 429 and that a declared limit explains: it was, or
   * can have been, used up within the minute before. `null` if unknown.
   */
  explained: count.nullable().optional(),
  /** Whether the scenario requests a verdict. */
  judged: z.boolean(),
  /** Whether a limit is violated (exit 14); only if the scenario requests a verdict. */
  violated: z.boolean(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** The default limits of each API key (interface 8). */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
