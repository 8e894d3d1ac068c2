import { z } from 'zod';
import { estimatedRangeSchema, scalabilityFitSchema } from '../../capacity/model/capacity.ts';

/** The result file of a sweep, `sweep/1`: one point for each combination of values, with the figures of its runs. */

const count = z.int().nonnegative();

const variableSchema = z.strictObject({
  /** The path as in `--vary`. */
  path: z.string(),
  values: z.array(z.string()).min(1),
  /** Whether the variable changes the load. Points that differ only in it then form one curve. */
  isLoad: z.boolean(),
});
export type SweepVariable = z.infer<typeof variableSchema>;

/** A figure of a point in `unit`: the mean of the runs that count, and the lowest and the highest of them. */
const figureSchema = estimatedRangeSchema.extend({
  /** Whether a run has too few samples for the figure: fewer than ten beyond the percentile. */
  isWeak: z.boolean(),
});
export type SweepFigure = z.infer<typeof figureSchema>;

const sweptRunSchema = z.strictObject({
  /** The run's folder, below the sweep's. */
  folder: z.string(),
  /** The run's position in the order of all runs, from 1. */
  order: z.int().positive(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** The reason why its figures do not count; `null` if they do. */
  excludedBecause: z.string().nullable(),
  /** The figures by name, without those that the run lacks. */
  figures: z.record(z.string(), z.number()),
});
export type SweptRun = z.infer<typeof sweptRunSchema>;

/**
 * The verdicts on a point. `kept`: it keeps the objectives or, without any, at least 95 % completed. `undecided`: too
 * little data for an objective. `excluded`: no run counts. `missing`: the sweep ended before its first run.
 */
const pointVerdictNames = ['kept', 'broken', 'undecided', 'excluded', 'missing'] as const;

const pointSchema = z.strictObject({
  /** The value of each variable, in their order. */
  values: z.array(z.string()),
  verdict: z.enum(pointVerdictNames),
  /** The reasons why it is not `kept`, and what was wrong with runs that do not count. */
  reasons: z.array(z.string()),
  runs: z.array(sweptRunSchema),
  /** The figures over the runs that count. A figure that none of these runs has is absent. */
  figures: z.record(z.string(), figureSchema),
  /** Whether no other `kept` point has more throughput at no more latency, or less latency at no less throughput. */
  isOnFront: z.boolean(),
});
export type SweepPoint = z.infer<typeof pointSchema>;

const axisSchema = z.strictObject({ name: z.string(), label: z.string(), unit: z.string() });
export type SweepAxis = z.infer<typeof axisSchema>;

/** A curve: points that differ in the load alone. */
const curveSchema = z.strictObject({
  /** The values of the other variables, as `path=value`. */
  name: z.string(),
  /** The indexes of points, from the lowest load to the highest, as the variables list them. */
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
  /** The seed of the order, and of the requests of every run. */
  seed: count,
  variables: z.array(variableSchema).min(1),
  /** The number of runs of each point, as requested. */
  repetitions: z.int().positive(),
  objectives: z.array(z.string()),
  throughput: axisSchema,
  latency: axisSchema,
  /** The points; the last variable changes fastest. */
  points: z.array(pointSchema).min(1),
  curves: z.array(curveSchema),
  /** The reason why runs are missing; `null` if all were made. */
  partial: z.string().nullable(),
});
export type SweepReport = z.infer<typeof sweepReportSchema>;

export const sweepJsonSchema = (): object => ({
  title: 'What weir sweep found, sweep/1',
  ...z.toJSONSchema(sweepReportSchema, { io: 'input' }),
});

export const isLoadPath = (path: string): boolean =>
  /^load\b/.test(path) || /^stages[.[]\d+\]?\.load\b/.test(path);

/** Formats a point as `load.users=4, prompt.tokens=100`. */
export const pointName = (
  variables: readonly { readonly path: string }[],
  values: readonly string[],
): string => variables.map(({ path }, i) => `${path}=${values[i]}`).join(', ');
