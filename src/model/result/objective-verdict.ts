import { z } from 'zod';

/**
 * The ruling for each reason. `aborted`: the breach ended the run. `unfit`: the load generator was invalid.
 * `within-error`: the load generator may have moved the figure across the bound. `unsure`: a kept one that is not sure,
 * if only sure ones pass (`--strict`). `incomplete`: a slice is missing.
 * `partial`: the run was stopped before the objective was broken. `never-given`: the server never gave the figure.
 */
export const rulingByReason = {
  kept: 'pass',
  broken: 'fail',
  aborted: 'fail',
  'no-data': 'fail',
  'never-given': 'inconclusive',
  unfit: 'inconclusive',
  'within-error': 'inconclusive',
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
  /** The figure in `unit`; `null` without data (`n` is 0), or if it is infinite since too many arrivals failed. */
  observed: z.number().nullable(),
  unit: z.string(),
  /** The number of samples, or of arrivals of a share; `null` for other figures. */
  n: z.int().nonnegative().nullable(),
  /** As many independent samples as these tell; absent where that is `n` or unknown. */
  effective: z.int().nonnegative().optional(),
  /** The 429s that were left out, since a declared limit explains them; `null` if it is unknown which, absent if none may be. */
  excluded: z.int().nonnegative().nullable().optional(),
  minSamples: z.int().positive(),
  /** The lower end of the 95 % confidence interval; `null` without a bound. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** The bounds of the true figure, given the error of the load generator; `high` is `null` if unbounded. */
  error: z.strictObject({ low: z.number(), high: z.number().nullable() }).optional(),
  /** Whether the whole interval is on one side of the bound. */
  sure: z.boolean().nullable(),
});
export type ObjectiveVerdict = z.infer<typeof objectiveVerdictSchema>;

/** Returns whether an objective fails its run: it is broken, or the server never reported its figure. */
export const failsRun = ({ ruling, grounds, severity }: ObjectiveVerdict): boolean =>
  severity === 'fail' && (ruling === 'fail' || grounds === 'never-given');

/** Stands for an infinite figure of a breach, which JSON cannot hold. */
export const infiniteFigure = Number.MAX_VALUE;

/** Whether the figure is a percentile beyond all arrivals that completed. */
export const isInfinite = ({ observed, n }: Pick<ObjectiveVerdict, 'observed' | 'n'>): boolean =>
  observed === null && n !== null && n > 0;

/** The objective whose breach ended a run, and when. `observed` is `infiniteFigure` for an infinite figure. */
export const breachSchema = z.strictObject({
  text: z.string(),
  at: z.number().nonnegative(),
  observed: z.number(),
});
export type Breach = z.infer<typeof breachSchema>;
