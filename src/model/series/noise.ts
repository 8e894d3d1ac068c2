import { z } from 'zod';
import { comparisonVerdictNames } from './comparison.ts';

/**
 * The written form of an environment's noise, `noise/1`: repeated runs of one plan against one
 * target, of which nothing was changed, and what a comparison of such runs could see.
 */

/** The repetitions a side for which the detectable effect is told. */
export const reportedRepetitions = [5, 10, 20] as const;

const noiseMetricSchema = z.strictObject({
  /** As in a comparison: kind of traffic, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  /** The geometric mean over the runs, or the mean share. */
  typical: z.number().nullable(),
  /** One run's standard deviation as a share of its value (of the logarithm); `null` for shares of failures, whose noise is their count's. */
  noise: z.number().nonnegative().nullable(),
  /** How much the second half differs from the first although nothing was changed, with its 95 % interval: a ratio or a difference. */
  change: z.number(),
  low: z.number(),
  high: z.number(),
  /** The smallest change that so many repetitions a side see nine times in ten: a ratio above 1, or a difference above 0. */
  detectable: z.array(z.strictObject({ repetitions: z.int().positive(), change: z.number() })),
  /** The minimum effect, on the same scale. */
  least: z.number(),
  /** Repetitions a side with which the minimum effect itself is seen nine times in ten; `null` beyond 1,000. */
  needed: z.int().positive().nullable(),
});
export type NoiseMetric = z.infer<typeof noiseMetricSchema>;

export const noiseSchema = z.strictObject({
  format: z.literal('noise/1'),
  /** The version of Weir that measured. */
  weir: z.string(),
  measuredAt: z.iso.datetime(),
  plan: z.string(),
  planHash: z.string(),
  target: z.string(),
  /** The runs' result files, in the order in which they were given. */
  runs: z.array(z.string()).min(1),
  overridden: z.array(z.string()),
  cautions: z.array(z.string()),
  /** What the comparison says of the halves: anything but `same` and `inconclusive` is the surroundings' doing. */
  verdict: z.enum(comparisonVerdictNames),
  metrics: z.array(noiseMetricSchema),
});
export type Noise = z.infer<typeof noiseSchema>;
