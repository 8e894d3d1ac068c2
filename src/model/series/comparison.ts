import { z } from 'zod';
import { measureNames } from '../measures/measures.ts';
import { trafficKinds } from '../workload/traffic.ts';

/**
 * The written form of a comparison, `comparison/1`: two sides of repeated runs of one plan, held
 * against each other metric by metric. The repetition is the unit of evidence, not the request:
 * requests of one run share whatever made that run fast or slow.
 */

const count = z.int().nonnegative();

/** Every verdict on a metric, and on a comparison as a whole, the gravest first. */
export const comparisonVerdicts = {
  regression: 'surely worse, and by more than the minimum effect',
  inconclusive: 'the repetitions do not decide it',
  improvement: 'surely better, and by more than the minimum effect',
  same: 'the confidence interval lies wholly inside the minimum effect',
} as const;
export type ComparisonVerdict = keyof typeof comparisonVerdicts;
export const comparisonVerdictNames = Object.keys(comparisonVerdicts) as [
  ComparisonVerdict,
  ...ComparisonVerdict[],
];

/** What the verdicts are held against. */
export const comparisonRules = {
  /** The chance of any false alarm among the gated metrics, and one less the confidence of every interval. */
  alpha: 0.05,
  /** Changes that matter to nobody, as ratios less one; rates of failures as a share. */
  latencyEffect: 0.1,
  throughputEffect: 0.05,
  rateEffect: 0.005,
  /** In ms: a change smaller than this is no change, however large in per cent. For times of single tokens the second. */
  latencyFloor: 5,
  tokenFloor: 0.5,
  /** Fewer a side decide nothing; one run a side is an indication and fails only beyond the ratio. */
  repetitions: 5,
  indicativeRatio: 1.5,
  /** The assumed noise between runs, as a coefficient of variation, where one run a side shows none. */
  assumedNoise: 0.05,
  /** The chance to see an effect of the smallest size that is called detectable. */
  power: 0.9,
} as const;

const sideFiguresSchema = z.strictObject({
  /** One for each repetition that has it, in the metric's unit; rates as shares. */
  values: z.array(z.number()),
  /** The geometric mean of the values, or the share of all repetitions together. */
  typical: z.number().nullable(),
});

const effectSchema = z.strictObject({
  /** New over base where the scale is `ratio`, new less base where it is `difference`. */
  change: z.number(),
  /** The 95 % confidence interval; `null` with a single run on a side, which shows no noise. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  p: z.number().nullable(),
  /** Adjusted for the number of gated metrics (Holm); `null` for those that are not gated. */
  adjustedP: z.number().nullable(),
  /** The minimum effect of this metric, its floor included: a ratio above 1, or a difference above 0. */
  least: z.number(),
  /** The smallest change that as many repetitions would see nine times in ten, on the same scale. */
  detectable: z.number().nullable(),
});

const comparedMetricSchema = z.strictObject({
  /** Unique in the comparison: kind of traffic, model and name. */
  id: z.string(),
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  /** What `--gate` calls it: `ttft.p95`, `completed`, `errors`. */
  name: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  base: sideFiguresSchema,
  next: sideFiguresSchema,
  /** `null` where a side has no value. */
  effect: effectSchema.nullable(),
  verdict: z.enum(comparisonVerdictNames),
  /** Repetitions a side that would decide; `null` where it is decided, or more than 1,000 would be needed. */
  needed: z.int().nullable(),
  /** Why it is not gated, or what else a reader must know, in words. */
  remark: z.string().nullable(),
});
export type ComparedMetric = z.infer<typeof comparedMetricSchema>;
export type ComparedEffect = z.infer<typeof effectSchema>;

/** How differently the samples of a measure are spread, of all repetitions together; no verdict comes of it. */
const shapeSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  measure: z.enum(measureNames),
  /** Kolmogorov-Smirnov: 0 … 1, to a hundredth. */
  distance: z.number(),
  samples: z.strictObject({ base: count, next: count }),
});
export type ComparedShape = z.infer<typeof shapeSchema>;

const comparedRunSchema = z.strictObject({
  /** The result's file. */
  file: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  arrivals: count,
});

const comparedSideSchema = z.strictObject({
  /** What it is called: its folder, its address. */
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
  /** The version of Weir that compared. */
  weir: z.string(),
  comparedAt: z.iso.datetime(),
  base: comparedSideSchema,
  next: comparedSideSchema,
  /** Reasons to refuse that were overridden, in sentences. */
  overridden: z.array(z.string()),
  /** What the reader of the verdicts must know, in sentences. */
  cautions: z.array(z.string()),
  rules: z.record(z.string(), z.number()),
  metrics: z.array(comparedMetricSchema),
  shapes: z.array(shapeSchema),
  verdict: z.enum(comparisonVerdictNames),
});
export type Comparison = z.infer<typeof comparisonSchema>;
