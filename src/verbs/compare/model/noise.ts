import { z } from 'zod';
import { comparisonVerdictNames } from '../../../model/series/compared-metric.ts';

/**
 * The result file of an environment's noise, `noise/1`: repeated runs of one plan against one
 * unchanged target, and the changes that a comparison of such runs can detect.
 */

/** For these numbers of repetitions per side, the detectable change is reported. */
export const reportedRepetitions = [5, 10, 20] as const;

const noiseMetricSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  /** The geometric mean over the runs; the arithmetic mean for a share. */
  typical: z.number().nullable(),
  /**
   * The standard deviation of the logarithm of a run's value; `null` for failure rates, whose noise depends on their
   * number of arrivals.
   */
  noise: z.number().nonnegative().nullable(),
  /** The change between the two halves with its 95 % interval, as a ratio or a difference. */
  change: z.number(),
  low: z.number(),
  high: z.number(),
  /** The smallest change that is detected with a probability of 90 %: a ratio above 1, or a difference above 0. */
  detectable: z.array(z.strictObject({ repetitions: z.int().positive(), change: z.number() })),
  /** The smallest relevant change: a ratio above 1, or a difference above 0. */
  least: z.number(),
  /**
   * How many repetitions per side detect the smallest relevant change with a probability of 90 %; `null` if more than
   * 1,000 would be needed.
   */
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
  /** The paths of the result files, in the given order. */
  runs: z.array(z.string()).min(1),
  overridden: z.array(z.string()),
  cautions: z.array(z.string()),
  /** The verdict of comparing the two halves. `regression` and `improvement` come from the environment alone. */
  verdict: z.enum(comparisonVerdictNames),
  metrics: z.array(noiseMetricSchema),
});
export type Noise = z.infer<typeof noiseSchema>;
