import { z } from 'zod';
import { estimatedRangeSchema, scalabilityFitSchema } from '../../capacity/model/capacity.ts';

/** The result file of a sweep, `sweep/1`: one point for each combination of values, with the figures of its runs. */

const count = z.int().nonnegative();

const variableSchema = z.strictObject({
  /** The path of the variable, as in `--vary`. */
  path: z.string(),
  values: z.array(z.string()).min(1),
  /** Whether the variable changes the load. Points that differ only in this variable form one curve. */
  isLoad: z.boolean(),
});
export type SweepVariable = z.infer<typeof variableSchema>;

/** A figure of a point, in `unit`: the mean, the lowest and the highest value over the runs that count. */
const figureSchema = estimatedRangeSchema.extend({
  /** Whether any run has too few samples for the figure: fewer than ten samples beyond the percentile. */
  isWeak: z.boolean(),
});
export type SweepFigure = z.infer<typeof figureSchema>;

const sweptRunSchema = z.strictObject({
  /** The folder of the run, below the folder of the sweep. */
  folder: z.string(),
  /** The position of the run in the order of all runs, from 1. */
  order: z.int().positive(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** The reason why the run's figures do not count; `null` if the figures count. */
  excludedBecause: z.string().nullable(),
  /** The figures by name. A figure that the run does not have is absent. */
  figures: z.record(z.string(), z.number()),
});
export type SweptRun = z.infer<typeof sweptRunSchema>;

/**
 * The verdicts on a point. `kept`: the point keeps the objectives; without objectives, at least 95 % of its arrivals
 * completed. `undecided`: an objective has too few data. `excluded`: no run of the point counts. `missing`: the sweep
 * ended before the first run of the point.
 */
const pointVerdictNames = ['kept', 'broken', 'undecided', 'excluded', 'missing'] as const;

const pointSchema = z.strictObject({
  /** The value of each variable, in the order of the variables. */
  values: z.array(z.string()),
  verdict: z.enum(pointVerdictNames),
  /** The reasons why the point is not `kept`, and the reasons why runs do not count. */
  reasons: z.array(z.string()),
  runs: z.array(sweptRunSchema),
  /** The figures over the runs that count. A figure that none of these runs has is absent. */
  figures: z.record(z.string(), figureSchema),
  /**
   * Whether no other `kept` point surely has more throughput without more latency, or less latency without less
   * throughput.
   */
  isOnFront: z.boolean(),
});
export type SweepPoint = z.infer<typeof pointSchema>;

const axisSchema = z.strictObject({ name: z.string(), label: z.string(), unit: z.string() });
export type SweepAxis = z.infer<typeof axisSchema>;

/**
 * The least difference that counts: a share of the lower value, and an amount in the figure's unit. The verb `weir
 * compare` has the same least difference.
 */
const leastDifference = ({ name, unit }: SweepAxis): readonly [share: number, amount: number] => {
  if (unit !== 'ms') return [0.05, 0];
  return [0.1, /^(?:tpot|gap)\b/.test(name) ? 0.5 : 5];
};

/**
 * Returns whether a figure is surely below another: by more than the usual difference between runs of one point, and
 * with all its runs below all runs of the other.
 */
export const isBelow = (axis: SweepAxis, one: SweepFigure, other: SweepFigure): boolean => {
  const [share, amount] = leastDifference(axis);
  const needed = Math.max(Math.abs(one.value) * share, amount);
  return one.high < other.low && other.value - one.value > needed;
};

/** A curve, whose points differ only in the load. */
const curveSchema = z.strictObject({
  /** The values of the variables other than the load, as `path=value`. */
  name: z.string(),
  /** The indexes of the points, in the order in which the variables list their loads. */
  points: z.array(count),
  /** The fitted law; `null` with fewer than three different steady loads. */
  fit: scalabilityFitSchema.nullable(),
});
export type SweepCurve = z.infer<typeof curveSchema>;

export const sweepReportSchema = z.strictObject({
  format: z.literal('sweep/1'),
  weir: z.string(),
  judgedAt: z.iso.datetime(),
  name: z.string(),
  target: z.string(),
  /** The seed for the order of runs, and for the requests of all runs. */
  seed: count,
  variables: z.array(variableSchema).min(1),
  /** The number of runs per point that was requested. */
  repetitions: z.int().positive(),
  objectives: z.array(z.string()),
  throughput: axisSchema,
  latency: axisSchema,
  /** The points. The last variable changes fastest. */
  points: z.array(pointSchema).min(1),
  curves: z.array(curveSchema),
  /** The reason why runs are missing; `null` if all runs were made. */
  partial: z.string().nullable(),
});
export type SweepReport = z.infer<typeof sweepReportSchema>;

export const sweepJsonSchema = (): object => ({
  title: 'What weir sweep found, sweep/1',
  ...z.toJSONSchema(sweepReportSchema, { io: 'input' }),
});

export const isLoadPath = (path: string): boolean =>
  /^load\b/.test(path) || /^stages[.[]\d+\]?\.load\b/.test(path);

/** Formats the name of a point as `load.users=4, prompt.tokens=100`. */
export const pointName = (
  variables: readonly { readonly path: string }[],
  values: readonly string[],
): string => variables.map(({ path }, i) => `${path}=${values[i]}`).join(', ');
