import { z } from 'zod';

/**
 * Why an objective is judged as it is; the ruling follows from it. `aborted`: broken so that the run
 * was ended. `unfit`: the generator was too unwell. `incomplete`: a slice is missing. `partial`: it is
 * kept by what there is of a run that was stopped.
 */
export const rulingByReason = {
  kept: 'pass',
  broken: 'fail',
  aborted: 'fail',
  'no-data': 'fail',
  unfit: 'inconclusive',
  incomplete: 'inconclusive',
  partial: 'inconclusive',
} as const satisfies Record<string, 'pass' | 'fail' | 'inconclusive'>;
export type VerdictReason = keyof typeof rulingByReason;
const grounds = Object.keys(rulingByReason) as readonly VerdictReason[];

/** How one objective of a run came out. */
export const objectiveVerdictSchema = z.strictObject({
  /** The objective as the scenario says it. */
  text: z.string(),
  severity: z.enum(['fail', 'warn']),
  ruling: z.enum(['pass', 'fail', 'inconclusive']),
  grounds: z.enum(grounds),
  /** The figure in `unit`; `null` where nothing was seen of it. */
  observed: z.number().nullable(),
  unit: z.string(),
  /** Samples, of a share arrivals; `null` for counts and rates, which have none. */
  n: z.int().nonnegative().nullable(),
  minSamples: z.int().positive(),
  /** The 95 % confidence interval of a quantile (order statistics) or a share (Wilson); `null` where there is no bound. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Whether the whole interval lies on one side of the bound; `null` where there is no interval. */
  sure: z.boolean().nullable(),
});
export type ObjectiveVerdict = z.infer<typeof objectiveVerdictSchema>;

/** The objective whose breach ended a run, and when. */
export const breachSchema = z.strictObject({
  text: z.string(),
  at: z.number().nonnegative(),
  observed: z.number(),
});
export type Breach = z.infer<typeof breachSchema>;
