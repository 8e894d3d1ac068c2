import { z } from 'zod';
import { statisticSchema } from '../plan/objective.ts';

/**
 * The verdict (ruling) that each reason leads to. `aborted`: the broken objective ended the run. `unfit`: the load
 * generator was invalid. `within-error`: the load generator's error may have moved the figure across the objective's
 * bound. `unreported`: the answers that do not report the figure can move it across this bound. `unsure`: the objective
 * is met, but `--strict` accepts only sure verdicts. `incomplete`: a slice is missing. `partial`: the run was stopped
 * while the objective was met. `never-given`: neither the server's metrics nor any answer reported the figure.
 */
export const rulingByReason = {
  kept: 'pass',
  broken: 'fail',
  aborted: 'fail',
  'no-data': 'fail',
  'never-given': 'inconclusive',
  unfit: 'inconclusive',
  'within-error': 'inconclusive',
  unreported: 'inconclusive',
  unsure: 'inconclusive',
  incomplete: 'inconclusive',
  partial: 'inconclusive',
} as const satisfies Record<string, 'pass' | 'fail' | 'inconclusive'>;
export type VerdictReason = keyof typeof rulingByReason;
const reasons = Object.keys(rulingByReason) as readonly VerdictReason[];

export const objectiveVerdictSchema = z.strictObject({
  text: z.string(),
  severity: z.enum(['fail', 'warn']),
  ruling: z.enum(['pass', 'fail', 'inconclusive']),
  grounds: z.enum(reasons),
  /** The figure in `unit`; `null` without data (`n` is 0), or if too many failed arrivals make the figure infinite. */
  observed: z.number().nullable(),
  unit: z.string(),
  /** The statistic of the figure; absent for figures without a statistic, and in old results. */
  statistic: statisticSchema.optional(),
  /** The number of samples, or of arrivals for a share; `null` for other figures. */
  n: z.int().nonnegative().nullable(),
  /**
   * The number of independent samples that the `n` samples are worth; absent if this number is `n` or unknown.
   */
  effective: z.int().nonnegative().optional(),
  /**
   * `true` for a mean whose interval may be wrong, because the mean has too few independent samples; otherwise absent.
   */
  weak: z.literal(true).optional(),
  /**
   * How many 429s were left out because a declared limit explains them; `null` if unknown. Absent unless the objective
   * leaves out such 429s.
   */
  excluded: z.int().nonnegative().nullable().optional(),
  minSamples: z.int().positive(),
  /**
   * The number of failures among the `n` samples. Present only if the figure is a percentile below the objective's
   * bound, and these failures leave the confidence interval without an upper end.
   */
  failed: z.int().positive().optional(),
  /** The lower end of the 95 % confidence interval; `null` if the interval has no lower end. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** The number of answers that do not report the figure; absent if all answers report the figure. */
  unreported: z.int().positive().optional(),
  /**
   * The true figure lies between these bounds, given the error of the load generator or the answers that do not report
   * the figure. `high` is `null` without an upper bound.
   */
  error: z.strictObject({ low: z.number(), high: z.number().nullable() }).optional(),
  /**
   * Whether the whole confidence interval is on one side of the objective's bound; `null` if the figure has no
   * interval.
   */
  sure: z.boolean().nullable(),
});
export type ObjectiveVerdict = z.infer<typeof objectiveVerdictSchema>;

/**
 * Returns whether an objective makes its run fail. The run fails if the objective is broken, or if the server never
 * reported the figure of the objective.
 */
export const failsRun = ({ ruling, grounds, severity }: ObjectiveVerdict): boolean =>
  severity === 'fail' && (ruling === 'fail' || grounds === 'never-given');

/** Stands for an infinite figure of a broken objective, because JSON has no infinity. */
export const infiniteFigure = Number.MAX_VALUE;

/** Returns whether the figure is infinite. A percentile is infinite if too few arrivals completed. */
export const isInfinite = ({ observed, n }: Pick<ObjectiveVerdict, 'observed' | 'n'>): boolean =>
  observed === null && n !== null && n > 0;

/**
 * The broken objective that ended a run, and when it broke (`at`, in ms of the run). `observed` is its figure, or
 * `infiniteFigure` if the figure is infinite.
 */
export const breachSchema = z.strictObject({
  text: z.string(),
  at: z.number().nonnegative(),
  observed: z.number(),
});
export type Breach = z.infer<typeof breachSchema>;
