import { z } from 'zod';
import { trafficKinds } from '../workload/traffic.ts';

/** The verdicts on a metric or a comparison, the most serious first. */
export const comparisonVerdicts = {
  regression: 'certainly worse, and by more than the minimum effect',
  inconclusive: 'the repetitions are not sufficient for a decision',
  improvement: 'certainly better, and by more than the minimum effect',
  same: 'certainly within the minimum effect, by an equivalence test',
} as const;
export type ComparisonVerdict = keyof typeof comparisonVerdicts;
export const comparisonVerdictNames = Object.keys(comparisonVerdicts) as [
  ComparisonVerdict,
  ...ComparisonVerdict[],
];

export const comparisonRules = {
  /** Intervals have a confidence of 1 − alpha. */
  alpha: 0.05,
  /** A change counts with an adjusted p below this, which `npm run bench comparisons` finds to be 1 % of false alarms. */
  significance: 0.028,
  /** What the p of runs that did not take turns is multiplied by: drifts are not straight lines. */
  unevenDrift: 2,
  /** The largest irrelevant changes: ratios minus 1, and a share for failure rates. */
  latencyEffect: 0.1,
  throughputEffect: 0.05,
  rateEffect: 0.005,
  /** The smallest relevant changes in ms, whatever their ratio. The second is for times of single tokens. */
  latencyFloor: 5,
  tokenFloor: 0.5,
  /** With fewer on a side nothing is decided, unless two single runs are far apart. */
  repetitions: 5,
  /** The assumed noise of single runs, a coefficient of variation. */
  assumedNoise: 0.05,
  /** The noise, a standard deviation, with which two single runs must still be apart. */
  singleRunNoise: 0.1,
  /** The probability with which the smallest detectable effect is detected. */
  power: 0.9,
} as const;

const sideFiguresSchema = z.strictObject({
  /** The value of each repetition that has one, in the metric's unit; failure rates are shares. */
  values: z.array(z.number()),
  /** The geometric mean of the values, or the share of all repetitions together. */
  typical: z.number().nullable(),
});

const effectSchema = z.strictObject({
  /** The change: new / base for a `ratio`, new − base for a `difference`. */
  change: z.number(),
  /** The lower end of the 95 % confidence interval; `null` if a side has a single run. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** The p-value; of runs that did not take turns, the larger of those with and without their drift. */
  p: z.number().nullable(),
  /** The p-value adjusted by Hochberg for the number of gated metrics; `null` if not gated. */
  adjustedP: z.number().nullable(),
  /** The minimum effect with the floor: a ratio above 1, or a difference above 0. */
  least: z.number(),
  /** The suspected drift from one run to the next that can be the change, on the same scale as it; `null` for none. */
  drift: z.number().nullable(),
  /** The smallest change that this many repetitions detect nine times in ten. */
  detectable: z.number().nullable(),
});

export const comparedMetricSchema = z.strictObject({
  /** The traffic kind, the model and the name. */
  id: z.string(),
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  /** The name as in `--gate`: `ttft.p95`, `completed`, `errors`. */
  name: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  /** Whether the sides are the same only if it is. */
  headline: z.boolean(),
  base: sideFiguresSchema,
  next: sideFiguresSchema,
  /** The effect; `null` if a side has no value. */
  effect: effectSchema.nullable(),
  verdict: z.enum(comparisonVerdictNames),
  /** The number of repetitions on each side that would decide; `null` if decided, or above 1,000. */
  needed: z.int().nullable(),
  /** A note, for example why the metric is not gated; `null` for none. */
  remark: z.string().nullable(),
});
export type ComparedMetric = z.infer<typeof comparedMetricSchema>;

/** Returns the metrics on which it depends whether two sides are the same: the headline figures, or all if none is one. */
export const headlineOf = (gated: readonly ComparedMetric[]): readonly ComparedMetric[] => {
  const headline = gated.filter((metric) => metric.headline);
  return headline.length === 0 ? gated : headline;
};
