import type { Labels } from '../measures/counts.ts';
import { z } from 'zod';
import { measureNames, measures } from '../measures/measures.ts';
import { millisecondsSchema } from '../quantity-schema.ts';
import { countNames, rateNames, shareNames } from '../measures/run-figures.ts';
import { unitOfServerFigure } from '../measures/server-figures.ts';
import { trafficKinds } from '../workload/traffic.ts';
import type { Observation } from '../observation/observation.ts';

/**
 * The criteria of a run, such as `ttft.p95{traffic=chat-stream} < 800ms`, parsed. Bounds and observed
 * figures are in the unit of the figure (`unitOfFigure`).
 */

export const comparisonOperators = {
  '<': (observed: number, bound: number) => observed < bound,
  '<=': (observed: number, bound: number) => observed <= bound,
  '>': (observed: number, bound: number) => observed > bound,
  '>=': (observed: number, bound: number) => observed >= bound,
} as const satisfies Record<string, (observed: number, bound: number) => boolean>;
export type ComparisonOperator = keyof typeof comparisonOperators;
export const comparisonOperatorNames = Object.keys(
  comparisonOperators,
) as readonly ComparisonOperator[];

/** Whether a figure that only grows can meet this bound later but never break it. */
export const isLowerBound = (comparison: ComparisonOperator): boolean => comparison.startsWith('>');

export const statistics = ['mean', 'min', 'max'] as const;
/** A number is a quantile, 0 < q < 1. */
const statisticSchema = z.union([z.enum(statistics), z.number().gt(0).lt(1)]);
export type Statistic = z.infer<typeof statisticSchema>;

const figureSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('measure'),
    name: z.enum(measureNames),
    statistic: statisticSchema,
  }),
  z.strictObject({ kind: z.literal('count'), name: z.enum(countNames) }),
  /** In percent. */
  z.strictObject({ kind: z.literal('share'), name: z.enum(shareNames) }),
  z.strictObject({ kind: z.literal('rate'), name: z.enum(rateNames) }),
  /** Of the samples of the server’s own metrics; a scenario may name figures of its own. */
  z.strictObject({ kind: z.literal('server'), name: z.string(), statistic: statisticSchema }),
]);
export type ObjectiveFigure = z.infer<typeof figureSchema>;

/** The labels of the arrivals that count; `null` for any. Stairs are several stages with one name. */
const scopeSchema = z.strictObject({
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  key: z.string().nullable(),
  stages: z.array(z.string()).min(1).nullable(),
});
export type ObjectiveScope = z.infer<typeof scopeSchema>;

export const objectiveSchema = z.strictObject({
  /** As written in the scenario: its name in every report. */
  text: z.string(),
  figure: figureSchema,
  scope: scopeSchema,
  comparison: z.enum(comparisonOperatorNames),
  bound: z.number(),
  /** With fewer samples (of a share: arrivals) it is not decided: no data. */
  minSamples: z.int().positive(),
  /** Whether breaking it fails the run or is only reported. */
  severity: z.enum(['fail', 'warn']),
  /** From this moment on it is checked every second, and a run that breaks it is ended; `null`: checked only at the end. */
  abortAfter: millisecondsSchema.nullable(),
});
export type Objective = z.infer<typeof objectiveSchema>;

/** A criterion of a single request: all of its samples, at least one, must meet the bound. */
export const requestObjectiveSchema = z.strictObject({
  text: z.string(),
  measure: z.enum(measureNames),
  scope: scopeSchema,
  comparison: z.enum(comparisonOperatorNames),
  bound: z.number(),
});
export type RequestObjective = z.infer<typeof requestObjectiveSchema>;

export const inScope = (
  scope: ObjectiveScope,
  labels: Pick<Labels, 'traffic' | 'model' | 'key' | 'stage'>,
): boolean =>
  (scope.traffic === null || scope.traffic === labels.traffic) &&
  (scope.model === null || scope.model === labels.model) &&
  (scope.key === null || scope.key === labels.key) &&
  (scope.stages === null || scope.stages.includes(labels.stage));

export const unitOfFigure = (figure: ObjectiveFigure): string => {
  switch (figure.kind) {
    case 'measure':
      return measures[figure.name].unit;
    case 'count':
      return '';
    case 'share':
      return '%';
    case 'rate':
      return '/s';
    case 'server':
      return unitOfServerFigure(figure.name);
  }
};

/**
 * The default of `minSamples`: for a quantile, enough that ten samples are beyond it, as in all
 * reports; thirty for a mean; one for an extreme.
 */
export const defaultMinSamples = (statistic: Statistic): number => {
  if (typeof statistic === 'number') {
    return Math.ceil(10 / Math.min(statistic, 1 - statistic) - 1e-9);
  }
  return statistic === 'mean' ? 30 : 1;
};

const appliesTo = (
  { measure, scope }: RequestObjective,
  { traffic, model, key }: Observation,
  stage: string,
): boolean =>
  measures[measure].traffic.includes(traffic) && inScope(scope, { traffic, model, key, stage });

const meetsBound = (
  { measure, comparison, bound }: RequestObjective,
  observation: Observation,
): boolean => {
  const samples = measures[measure].of(observation);
  if (samples.length === 0) return false;
  for (const sample of samples) {
    if (!comparisonOperators[comparison](sample, bound)) return false;
  }
  return true;
};

/**
 * Which per-request objectives a completed request meets, in their order. An objective for other
 * traffic kinds or labels counts as met.
 */
export const objectivesMet = (
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): readonly boolean[] =>
  objectives.map(
    (objective) => !appliesTo(objective, observation, stage) || meetsBound(objective, observation),
  );
