import { z } from 'zod';
import { estimatedRangeSchema, scalabilityFitSchema } from '../../capacity/model/capacity.ts';

/** The result file of a sweep, `sweep/1`: one point for each combination of values, with the figures of its runs. */

const count = z.int().nonnegative();

const variableSchema = z.strictObject({
  /** As `--vary` names it. */
  path: z.string(),
  values: z.array(z.string()).min(1),
  /** Whether it changes how requests come: then points that differ only in it are one curve. */
  isLoad: z.boolean(),
});
export type SweepVariable = z.infer<typeof variableSchema>;

/** A figure of a point: the mean of the runs that count, and the lowest and the highest of them; in `unit`. */
const figureSchema = estimatedRangeSchema.extend({
  /** Whether a run has too few samples for it: fewer than ten beyond the percentile. */
  isWeak: z.boolean(),
});
export type SweepFigure = z.infer<typeof figureSchema>;

const sweptRunSchema = z.strictObject({
  /** Its folder, below that of the sweep. */
  folder: z.string(),
  /** Its place in the order in which the runs were made, from 1. */
  order: z.int().positive(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** Why its figures do not count; `null` if they do. */
  excludedBecause: z.string().nullable(),
  /** By the names of the report’s figures; what the run does not have is absent. */
  figures: z.record(z.string(), z.number()),
});
export type SweptRun = z.infer<typeof sweptRunSchema>;

/**
 * `kept`: the objectives, or without any at least 95 % completed. `undecided`: too little data for an
 * objective. `excluded`: no run counts. `missing`: the sweep ended before its first run.
 */
const pointVerdictNames = ['kept', 'broken', 'undecided', 'excluded', 'missing'] as const;

const pointSchema = z.strictObject({
  /** One of each variable, in their order. */
  values: z.array(z.string()),
  verdict: z.enum(pointVerdictNames),
  /** Why it is not `kept`, and what was wrong with runs that do not count. */
  reasons: z.array(z.string()),
  runs: z.array(sweptRunSchema),
  /** Over the runs that count; what none of them has is absent. */
  figures: z.record(z.string(), figureSchema),
  /** Whether no other `kept` point has more throughput at no more latency, or less latency at no less throughput. */
  isOnFront: z.boolean(),
});
export type SweepPoint = z.infer<typeof pointSchema>;

const axisSchema = z.strictObject({ name: z.string(), label: z.string(), unit: z.string() });
export type SweepAxis = z.infer<typeof axisSchema>;

/** The points that differ in the load alone. */
const curveSchema = z.strictObject({
  /** The values of the other variables, `path=value` each. */
  name: z.string(),
  /** Indexes of points, from the least load to the most, as the variables list them. */
  points: z.array(count),
  /** `null` with fewer than three different steady loads. */
  fit: scalabilityFitSchema.nullable(),
});
export type SweepCurve = z.infer<typeof curveSchema>;

export const sweepReportSchema = z.strictObject({
  format: z.literal('sweep/1'),
  weir: z.string(),
  judgedAt: z.iso.datetime(),
  name: z.string(),
  target: z.string(),
  /** Of the order and of the requests of every run. */
  seed: count,
  variables: z.array(variableSchema).min(1),
  /** Runs of each point, as requested. */
  repetitions: z.int().positive(),
  objectives: z.array(z.string()),
  throughput: axisSchema,
  latency: axisSchema,
  /** The last variable changes fastest. */
  points: z.array(pointSchema).min(1),
  curves: z.array(curveSchema),
  /** Why runs are missing; `null` if all were made. */
  partial: z.string().nullable(),
});
export type SweepReport = z.infer<typeof sweepReportSchema>;

export const sweepJsonSchema = (): object => ({
  title: 'What weir sweep found, sweep/1',
  ...z.toJSONSchema(sweepReportSchema, { io: 'input' }),
});

export const isLoadPath = (path: string): boolean =>
  /^load\b/.test(path) || /^stages[.[]\d+\]?\.load\b/.test(path);

/** `load.users=4, prompt.tokens=100` */
export const pointName = (
  variables: readonly { readonly path: string }[],
  values: readonly string[],
): string => variables.map(({ path }, i) => `${path}=${values[i]}`).join(', ');
