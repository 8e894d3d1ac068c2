import { z } from 'zod';

/**
 * This file defines `fairness.json`: the findings about a quiet and a noisy population. Times are in ms, shares from 0
 * to 1.
 */

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const intervalSchema = z.strictObject({
  value: z.number(),
  low: z.number(),
  high: z.number().nullable().describe('null: no bound, since too many requests failed.'),
});
/** A figure with its 95 % interval. */
export type Interval = z.output<typeof intervalSchema>;

const blockSchema = z.strictObject({
  pair: count,
  isNoisy: z.boolean(),
  begins: amount.describe('When the noise begins, or has ended.'),
  from: amount.describe('When the measuring begins.'),
  to: amount,
  arrivals: count.describe('The requests of the quiet population that were due.'),
  value: amount
    .nullable()
    .describe(
      'Its figure; null if fewer completed than the percentile needs, or too few were due.',
    ),
  failed: count,
  noise: amount.describe('The requests of the noisy population that were due in a second.'),
});
export type JudgedBlock = z.output<typeof blockSchema>;

const shareRowSchema = z.strictObject({
  name: z.string(),
  unit: z.enum(['requests', 'tokens']),
  asked: amount
    .nullable()
    .describe('A second, in blocks with noise; null for users, who always ask for more.'),
  got: amount,
  share: z.number(),
  fair: amount.describe('Its max–min share of what all got.'),
  kept: intervalSchema.nullable().describe('What it got, by its max–min share.'),
});
export type ShareRow = z.output<typeof shareRowSchema>;

const refusalCauses = ['none', 'own', 'noise', 'shared', 'undeclared', 'alone', 'unknown'] as const;
export type RefusalCause = (typeof refusalCauses)[number];

export const fairnessReportSchema = z.strictObject({
  format: z.literal('fairness/1'),
  weir: z.string(),
  name: z.string(),
  target: z.string(),
  startedAt: z.string(),
  took: amount,
  seed: count,
  quiet: z.string(),
  noisy: z.string(),
  figure: z.string(),
  settle: amount.describe('How long after each change nothing is measured.'),
  maxMoved: amount,
  verdict: z.enum(['isolated', 'moved', 'unknown']),
  reasons: z.array(z.string()),
  partial: z.string().nullable().describe('Why the examination ended early.'),
  moved: intervalSchema.nullable().describe('How much the figure rose: 0.03 is 3 %.'),
  failed: intervalSchema.nullable().describe('How much the share of failures rose.'),
  noiseBy: z
    .strictObject({ alone: amount, noisy: amount })
    .describe('Requests of the noise a second.'),
  blocks: z.array(blockSchema),
  shares: z.array(shareRowSchema),
  isContended: z.boolean().describe('Whether anyone got less than it asked for.'),
  refusals: z.strictObject({
    cause: z.enum(refusalCauses),
    noisy: count.describe('429s from the begin of a noise until the measuring without it.'),
    ofNoisy: count,
    alone: count,
    ofAlone: count,
    explained: count.describe('Those for which its own declared limit may have been used up.'),
    limits: z.array(z.string()),
  }),
  back: z
    .strictObject({
      wasAway: z.boolean(),
      after: amount.nullable().describe('null: not within the time that was seen.'),
      resolution: amount,
      seen: amount.describe('How long after the ends of the noise it was seen.'),
      ends: count.describe('How many ends of the noise were seen.'),
    })
    .nullable(),
  spent: z.strictObject({ requests: count, tokens: count, cost: amount.nullable() }),
});
export type FairnessReport = z.output<typeof fairnessReportSchema>;

export const fairnessJsonSchema = (): object => ({
  title: 'What weir fairness found, fairness/1',
  ...z.toJSONSchema(fairnessReportSchema),
});
