import { type Labels, timelineMeasures } from '../measures/counts.ts';
import { z } from 'zod';
import { isTimeOfEachRequest, measureNames, measures } from '../measures/measures.ts';
import { millisecondsSchema } from '../quantity-schema.ts';
import { countNames, rateNames, shareNames, tokenShareNames } from '../measures/run-figures.ts';
import { unitOfServerFigure } from '../measures/server-figures.ts';
import { trafficKinds } from '../workload/traffic.ts';
import type { Observation } from '../observation/observation.ts';

/**
 * This file defines the objectives of a run, such as `ttft.p95{traffic=chat-stream} < 800ms`, in the units of their
 * figures.
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

/**
 * Returns whether a comparison sets a lower bound. A growing figure, such as a count, can reach a lower bound at any
 * time before the run ends. Such a figure can therefore break a lower bound only at the end.
 */
export const isLowerBound = (comparison: ComparisonOperator): boolean => comparison.startsWith('>');

export const statistics = ['mean', 'min', 'max'] as const;
/** The statistic of an objective. A number is the level of a quantile, such as 0.95. */
export const statisticSchema = z.union([z.enum(statistics), z.number().gt(0).lt(1)]);
export type Statistic = z.infer<typeof statisticSchema>;

const figureSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('measure'),
    name: z.enum(measureNames),
    statistic: statisticSchema,
  }),
  z.strictObject({ kind: z.literal('count'), name: z.enum(countNames) }),
  /** A share of arrivals, in percent. `reason` is the finish reason of the share `finish`. */
  z.strictObject({
    kind: z.literal('share'),
    name: z.enum(shareNames),
    reason: z.string().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('rate'), name: z.enum(rateNames) }),
  /** A share of tokens, in percent. */
  z.strictObject({ kind: z.literal('token-share'), name: z.enum(tokenShareNames) }),
  /** A figure from the server's own metrics. Weir knows the figure, or the scenario defines it. */
  z.strictObject({ kind: z.literal('server'), name: z.string(), statistic: statisticSchema }),
]);
export type ObjectiveFigure = z.infer<typeof figureSchema>;

/**
 * The arrivals that count; a field that is `null` selects all arrivals. `stages` is a list, since one stair load in a
 * scenario becomes several stages.
 */
const scopeSchema = z.strictObject({
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  key: z.string().nullable(),
  stages: z.array(z.string()).min(1).nullable(),
});
export type ObjectiveScope = z.infer<typeof scopeSchema>;

export const objectiveSchema = z.strictObject({
  /** The text of the objective, as in the scenario and in every report. */
  text: z.string(),
  figure: figureSchema,
  scope: scopeSchema,
  comparison: z.enum(comparisonOperatorNames),
  bound: z.number(),
  /** The minimum number of samples, or of arrivals for a share. With a smaller number, the objective is not decided. */
  minSamples: z.int().positive(),
  severity: z.enum(['fail', 'warn']),
  /**
   * From this time of the run on, the run ends once the objective is broken. `null`: the objective is checked only at
   * the end.
   */
  abortAfter: millisecondsSchema.nullable(),
  /**
   * `excluded`: a 429 that a declared limit explains does not count as due. If this field is absent, every 429 counts.
   */
  quota: z.literal('excluded').exactOptional(),
});
export type Objective = z.infer<typeof objectiveSchema>;

/**
 * A criterion for a single request. A request with samples meets the criterion if every sample is within the bound. A
 * request without samples does not meet the criterion.
 */
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

const unitByKind = { count: '', share: '%', rate: '/s', 'token-share': '%' } as const;

export const unitOfFigure = (figure: ObjectiveFigure): string => {
  if (figure.kind === 'measure') return measures[figure.name].unit;
  return figure.kind === 'server' ? unitOfServerFigure(figure.name) : unitByKind[figure.kind];
};

const quotaCounts = ['failed', 'limited'];

/** Returns why 429s cannot be left out of a figure; `null` if 429s can be left out. */
export const whyNoQuota = (figure: ObjectiveFigure): string | null => {
  const { kind, name } = figure;
  switch (kind) {
    case 'share':
      return null;
    case 'count':
      return quotaCounts.includes(name) ? null : 'counts no 429s';
    case 'measure':
      return typeof figure.statistic === 'number' && isTimeOfEachRequest(figure.name)
        ? null
        : 'is of completed requests only';
    case 'token-share':
      return 'is of completed requests only';
    case 'rate':
      return 'counts events, of which no 429 is one';
    case 'server':
      return 'is not of single requests';
  }
};

/**
 * Returns whether more samples can make the verdict on an objective sure. Counts, minima, maxima and the server's own
 * figures never have an interval. A mean has an interval only if the timeline records its measure.
 */
export const canBeSure = ({ figure }: { readonly figure: ObjectiveFigure }): boolean => {
  if (figure.kind !== 'measure') return figure.kind !== 'count' && figure.kind !== 'server';
  const { name, statistic } = figure;
  return statistic === 'mean'
    ? timelineMeasures.some((each) => each === name)
    : typeof statistic === 'number';
};

/**
 * Returns the default of `minSamples`: ten samples beyond a quantile, thirty samples for a mean, one sample for a
 * minimum or maximum.
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
 * Returns, for each per-request objective, whether a completed request meets the objective. A request meets every
 * objective that is for other traffic or other labels.
 */
export const objectivesMet = (
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): readonly boolean[] =>
  objectives.map(
    (objective) => !appliesTo(objective, observation, stage) || meetsBound(objective, observation),
  );
