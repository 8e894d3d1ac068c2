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
  /** One minus the confidence of intervals, for example 0.05 for 95 %. */
  alpha: 0.05,
  /**
   * The adjusted p-value below which a change counts. With this value, 1 % of comparisons are false alarms (`npm run
   * bench comparisons`).
   */
  significance: 0.028,
  /**
   * If the runs of the two sides did not alternate, a linear drift is removed, and the p-value is multiplied by this
   * factor, because drift over time is rarely linear.
   */
  unevenDrift: 2,
  /**
   * Changes of up to these sizes are ignored. The change of a latency or a throughput is a ratio minus 1; the change of
   * a failure rate is a difference of shares.
   */
  latencyEffect: 0.1,
  throughputEffect: 0.05,
  rateEffect: 0.005,
  /**
   * Changes of up to this many ms are ignored, even if the relative change is large. `tokenFloor` is for times of
   * single tokens, `latencyFloor` for other times.
   */
  latencyFloor: 5,
  tokenFloor: 0.5,
  /**
   * The minimum number of repetitions on each side. With fewer repetitions, nothing is decided unless two single runs
   * are far apart.
   */
  repetitions: 5,
  /** The assumed noise of single runs, as a coefficient of variation. */
  assumedNoise: 0.05,
  /**
   * How much single runs are assumed to vary by chance when two of them are compared (a standard deviation of
   * logarithms).
   */
  singleRunNoise: 0.1,
  /** The probability of detecting the smallest detectable effect. */
  power: 0.9,
} as const;

const sideFiguresSchema = z.strictObject({
  /** One value, in the metric's unit, for each repetition that has a value. Failure rates are shares. */
  values: z.array(z.number()),
  /** The geometric mean of the values. For failure rates, the rate over all repetitions together. */
  typical: z.number().nullable(),
});

const effectSchema = z.strictObject({
  /** The change: new / base for a `ratio`, new − base for a `difference`. */
  change: z.number(),
  /** The lower end of the 95 % confidence interval; `null` if a side has only one run. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /**
   * The p-value. If the runs of the two sides did not alternate, two p-values are computed, with and without a drift
   * over time, and this is the larger p-value.
   */
  p: z.number().nullable(),
  /** The p-value adjusted for the number of gated metrics (Hochberg); `null` if the metric is not gated. */
  adjustedP: z.number().nullable(),
  /** The least change that counts: a ratio above 1 or a difference above 0, with the load generator's own error. */
  least: z.number(),
  /** Like `least`, but without the load generator's own error; absent in files of earlier versions. */
  relevant: z.number().optional(),
  /**
   * A drift from run to run that may explain the change, in the unit of `change`. It makes the verdict inconclusive;
   * `null` if there is no such drift.
   */
  drift: z.number().nullable(),
  /** The smallest change that the given repetitions detect with a probability of 90 %; at least `least`. */
  detectable: z.number().nullable(),
});

export const comparedMetricSchema = z.strictObject({
  /** The identity of the metric: traffic kind, model and name. */
  id: z.string(),
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  /** The metric's name as in `--gate`: `ttft.p95`, `completed`, `errors`. */
  name: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  scale: z.enum(['ratio', 'difference']),
  gated: z.boolean(),
  /**
   * Whether this metric is a headline figure. If a comparison has headline figures, only headline figures decide
   * whether two sides are called the same.
   */
  headline: z.boolean(),
  base: sideFiguresSchema,
  next: sideFiguresSchema,
  /** The change and its interval; `null` if a side has no value. */
  effect: effectSchema.nullable(),
  verdict: z.enum(comparisonVerdictNames),
  /**
   * How many repetitions on each side would decide the metric; `null` if it is already decided, or if no number up to
   * 1,000 would decide it.
   */
  needed: z.int().nullable(),
  /** A note, for example why the metric is not gated; `null` without a note. */
  remark: z.string().nullable(),
});
export type ComparedMetric = z.infer<typeof comparedMetricSchema>;

/**
 * Returns the metrics that decide whether two sides are called the same: the headline figures, or all metrics if there
 * is no headline figure.
 */
export const headlineOf = (gated: readonly ComparedMetric[]): readonly ComparedMetric[] => {
  const headline = gated.filter((metric) => metric.headline);
  return headline.length === 0 ? gated : headline;
};
