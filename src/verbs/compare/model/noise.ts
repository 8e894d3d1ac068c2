import { z } from 'zod';
import { comparisonVerdictNames } from '../../../model/series/compared-metric.ts';

/**
 * The result file of an environment's noise, `noise/1`: repeated runs of one plan against one
 * unchanged target, and the changes that a comparison of such runs can detect.
 */

/** The repetitions per side for which the detectable effect is reported. */
export const reportedRepetitions = [5, 10, 20] as const;

const noiseMetricSchema = z.strictObject({
  /** As in a comparison: traffic kind, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  /** The geometric mean over the runs, or the mean share. */
  typical: z.number().nullable(),
  /**
   * The standard deviation of the logarithm of a run's value; `null` for failure rates, whose noise depends on their
   * count.
   */
  noise: z.number().nonnegative().nullable(),
  /** The change between the two halves with its 95 % interval: a ratio or a difference. */
  change: z.number(),
  low: z.number(),
  high: z.number(),
  /** The smallest change detected nine times in ten: a ratio above 1, or a difference above 0. */
  detectable: z.array(z.strictObject({ repetitions: z.int().positive(), change: z.number() })),
  /** The minimum effect: a ratio above 1, or a difference above 0. */
  least: z.number(),
  /** Repetitions per side that detect the minimum effect nine times in ten; `null` above 1,000. */
  needed: z.int().positive().nullable(),
});
export type NoiseMetric = z.infer<typeof noiseMetricSchema>;

export const noiseSchema = z.strictObject({
  format: z.literal('noise/1'),
  weir: z.string(),
  measuredAt: z.iso.datetime(),
  plan: z.string(),
  planHash: z.string(),
  target: z.string(),
  /** The result files, in the given order. */
  runs: z.array(z.string()).min(1),
  overridden: z.array(z.string()),
  cautions: z.array(z.string()),
  /** The comparison of the halves: `regression` and `improvement` are effects of the environment. */
  verdict: z.enum(comparisonVerdictNames),
  metrics: z.array(noiseMetricSchema),
});
export type Noise = z.infer<typeof noiseSchema>;
