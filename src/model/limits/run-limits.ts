import { namedLimits, refusalForms } from '../observation/outcome.ts';
import { z } from 'zod';
import { type LimitCheck, limiterClassNames } from './limit-log.ts';

/** What the ledger of an ordinary run proves about the limits of its keys, without any request of its own. */

const count = z.int().nonnegative();

/** How much of a limit was let through within one minute at its fullest: surely, and possibly (`null` where some of it is unknown). */
const admittedPeakSchema = z.strictObject({ least: count, most: count.nullable() });
export type AdmittedPeak = z.infer<typeof admittedPeakSchema>;

/** How what refusals promised compares with when the key was let in again; `unknown` where nothing was let in afterwards. */
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
  /** How many named each limit; `none` those that named none. */
  units: z.partialRecord(z.enum([...namedLimits, 'none']), count),
  forms: z.partialRecord(z.enum(refusalForms), count),
  retryAfter: retryAfterAccuracySchema,
  resetTime: retryAfterAccuracySchema,
  /** Stretches in which nothing was let in, from their first 429 until something was. */
  stretches: count,
  /** The longest of them in ms, at most; `null` when nothing was let in again. */
  longestStretch: z.number().nullable(),
});
export type KeyRefusals = z.infer<typeof keyRefusalsSchema>;

const checkSchema = z.strictObject({
  id: z.string(),
  claim: z.string(),
  section: z.string().nullable(),
  finding: z.enum(['proved', 'refuted', 'undecided']),
  violates: z.boolean(),
  observed: z.string(),
  evidence: z.array(z.string()).readonly(),
}) satisfies z.ZodType<LimitCheck>;

/** Classes of limiters are replayed over so many of a key's decisions, the first ones: more cost their square and tell little more. */
export const replayedDecisions = 400;

/** What is proved of one key. */
const keyLimitsSchema = z.strictObject({
  key: z.string(),
  requests: admittedPeakSchema,
  tokens: admittedPeakSchema,
  refusals: keyRefusalsSchema.nullable(),
  /** The classes of limiters that explain the first decisions, at most `replayedDecisions`; `null` where nothing was refused. */
  explainedBy: z.array(z.enum(limiterClassNames)).readonly().nullable(),
  checks: z.array(checkSchema).readonly(),
});
export type KeyLimits = z.infer<typeof keyLimitsSchema>;

/** What is proved of all keys of a run. */
export const runLimitsSchema = z.strictObject({
  /** None where a run has several slices: their clocks are not one. */
  keys: z.array(keyLimitsSchema).readonly(),
  /**
   * Arrivals after the warm-up that were answered 429 and that a declared limit explains: within the minute before, the key was, or may
   * have been, let in that whole limit. `null` where it cannot be known.
   */
  explained: count.nullable().optional(),
  /** Whether the scenario asks for a verdict. */
  judged: z.boolean(),
  /** Whether a limit is violated: exit 14. Only where the scenario asks for a verdict. */
  violated: z.boolean(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** What the interface (8) limits for each API key where a gateway says nothing else. */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
