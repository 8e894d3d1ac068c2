import { z } from 'zod';
import { measureNames } from '../../../model/measures/measures.ts';
import { trafficKinds } from '../../../model/workload/traffic.ts';
import {
  comparedMetricSchema,
  comparisonVerdictNames,
} from '../../../model/series/compared-metric.ts';

/**
 * The result file of a comparison, `comparison/1`: two sides of repeated runs of one plan, compared metric by metric.
 * The samples are runs, not requests, since a cause that slows a run slows all requests of the run.
 */

const count = z.int().nonnegative();

/** The distance between the two sides' distributions of a measure. This distance does not affect the verdict. */
const shapeSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  measure: z.enum(measureNames),
  /** The Kolmogorov-Smirnov distance, from 0 to 1, exact to a hundredth. */
  distance: z.number(),
  samples: z.strictObject({ base: count, next: count }),
});
export type ComparedShape = z.infer<typeof shapeSchema>;

const comparedRunSchema = z.strictObject({
  file: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  arrivals: count,
});

const comparedSideSchema = z.strictObject({
  name: z.string(),
  plan: z.string(),
  planHash: z.string(),
  target: z.string(),
  models: z.array(z.string()),
  seed: z.int().nonnegative(),
  slices: z.int().positive(),
  weir: z.string(),
  runs: z.array(comparedRunSchema).min(1),
});
export type ComparedSide = z.infer<typeof comparedSideSchema>;

export const comparisonSchema = z.strictObject({
  format: z.literal('comparison/1'),
  weir: z.string(),
  comparedAt: z.iso.datetime(),
  base: comparedSideSchema,
  next: comparedSideSchema,
  /** The user has allowed these differences. Otherwise the comparison would have been refused. */
  overridden: z.array(z.string()),
  cautions: z.array(z.string()),
  rules: z.record(z.string(), z.number()),
  metrics: z.array(comparedMetricSchema),
  shapes: z.array(shapeSchema),
  verdict: z.enum(comparisonVerdictNames),
});
export type Comparison = z.infer<typeof comparisonSchema>;
