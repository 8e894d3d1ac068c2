import { z } from 'zod';
import { outcomeKinds } from '../../../model/observation/outcome.ts';

/**
 * The result file of a paired comparison, `pairs/1`: the same requests went to two sides, and each pair has a
 * difference. Times are in ms. `null` stands for a figure that is unknown or infinite.
 */

const count = z.int().nonnegative();
const figure = z.number().nullable();
const bounds = z.strictObject({ low: figure, high: figure });

const estimateSchema = z.strictObject({
  value: figure,
  ...bounds.shape,
  outer: bounds.describe('A wider interval, for verdicts that are called sure.'),
});

const quantileFields = { ...estimateSchema.shape, q: z.number(), weak: z.boolean() };

/** The measures of pairs. The first measure that is present decides. */
export const pairedMeasures = ['ttft', 'firstAudio', 'endToEnd', 'tpot'] as const;
export type PairedMeasure = (typeof pairedMeasures)[number];

const pairedFigureSchema = z.strictObject({
  measure: z.enum(pairedMeasures),
  pairs: count.describe('The pairs of which both sides have a time.'),
  differences: z
    .array(z.strictObject(quantileFields))
    .describe('Percentiles of the differences, with the error of this machine in the interval.'),
  shifts: z
    .array(z.strictObject({ ...quantileFields, base: figure, next: figure }))
    .describe('By how much a percentile of the new side is above that of the base.'),
  kept: z
    .array(z.strictObject({ within: z.number(), perSecond: z.number(), share: estimateSchema }))
    .describe('The share of all pairs, and their rate, to which at most this was added.'),
  order: estimateSchema.describe('How much longer the second request of a pair took.'),
  error: z
    .strictObject({ base: figure, next: figure, difference: bounds })
    .describe('How late this machine may have read the median pair, at each side and in all.'),
  boundBy: z
    .enum(['this machine', 'the mock'])
    .nullable()
    .describe('What hides a difference that the figures alone would show.'),
});
export type PairedFigure = z.output<typeof pairedFigureSchema>;

const sideSchema = z.strictObject({
  target: z.string(),
  key: z.array(z.string()).describe('The names of its keys.'),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  outcomes: z.record(z.enum(outcomeKinds), count),
  inFlight: z.strictObject({ mean: z.number(), most: count }),
  cachedFirst: figure.describe('Cached tokens of a request that was the first of its pair.'),
  cachedSecond: figure,
});
export type PairedSide = z.output<typeof sideSchema>;

const limitVerdicts = ['within', 'worse', 'undecided'] as const;

export const pairsSchema = z.strictObject({
  format: z.literal('pairs/1'),
  weir: z.string(),
  name: z.string(),
  comparedAt: z.string(),
  seed: count,
  gap: z.number(),
  seconds: z.number(),
  pairs: count.describe('All pairs that were due after the warm-up.'),
  base: sideSchema,
  next: sideSchema,
  failures: z.strictObject({
    baseOnly: count,
    nextOnly: count,
    both: count,
    unknown: count.describe('Pairs of which this machine did not send or did not await a request.'),
    added: estimateSchema,
  }),
  figures: z.array(pairedFigureSchema),
  limits: z.array(
    z.strictObject({ q: z.number(), most: z.number(), verdict: z.enum(limitVerdicts) }),
  ),
  verdict: z.enum([...limitVerdicts, 'fails more', 'adds', 'saves', 'no difference']),
  notes: z.array(z.string()),
});
export type PairsReport = z.output<typeof pairsSchema>;

/**
 * If the new side fails more often than the base by at most this share of all pairs, chance may explain the difference.
 */
const smallShare = 0.01;

/**
 * Returns whether the new side possibly fails more often than the base. This is possible in two cases. First, if the
 * new side fails in at least two pairs more than the base, and if these additional pairs are more than 1 % of all
 * pairs. Second, if the interval of the difference lies above 0.
 */
export const mayFailMore = ({ added, baseOnly, nextOnly }: PairsReport['failures']): boolean =>
  ((added.value ?? 0) > smallShare && nextOnly - baseOnly > 1) || (added.low ?? 0) > 0;

export const pairsJsonSchema = (): object => ({
  title: 'What weir compare --paired found, pairs/1',
  ...z.toJSONSchema(pairsSchema),
});
