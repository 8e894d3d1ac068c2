import type { Labels } from '../measures/counts.ts';
import { z } from 'zod';
import { measureNames, measures } from '../measures/measures.ts';
import { millisecondsSchema } from '../quantity.ts';
import { countNames, rateNames, shareNames } from '../measures/run-figures.ts';
import { trafficKinds } from '../workload/traffic.ts';

/**
 * What a run is held to: the meaning of `ttft.p95{traffic=chat-stream} < 800ms` and its kin, once
 * a scenario is read. Bounds and observed figures are in the figure's own unit (`unitOfFigure`).
 */

/** How a figure must stand to its bound. */
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

/** Whether a figure that only grows can come to keep its bound later, and not to break it. */
export const isLowerBound = (comparison: ComparisonOperator): boolean => comparison.startsWith('>');

export const statistics = ['mean', 'min', 'max'] as const;
/** Of a distribution: a quantile, 0 < q < 1, or one of the words. */
const statisticSchema = z.union([z.enum(statistics), z.number().gt(0).lt(1)]);
export type Statistic = z.infer<typeof statisticSchema>;

/** What an objective is about. */
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
]);
export type ObjectiveFigure = z.infer<typeof figureSchema>;

/** The labels that arrivals must have to count; `null` for any. Stairs are several stages under one name. */
const scopeSchema = z.strictObject({
  traffic: z.enum(trafficKinds).nullable(),
  model: z.string().nullable(),
  key: z.string().nullable(),
  stages: z.array(z.string()).min(1).nullable(),
});
export type ObjectiveScope = z.infer<typeof scopeSchema>;

export const objectiveSchema = z.strictObject({
  /** As the scenario says it: its name in every report. */
  text: z.string(),
  figure: figureSchema,
  scope: scopeSchema,
  comparison: z.enum(comparisonOperatorNames),
  bound: z.number(),
  /** With fewer samples (of a share: arrivals) than these it is not decided: no data. */
  minSamples: z.int().positive(),
  /** Whether breaking it fails the run, or is only told. */
  severity: z.enum(['fail', 'warn']),
  /** From this moment of the run on it is looked at every second, and a run that breaks it is ended; `null` for not before the end. */
  abortAfter: millisecondsSchema.nullable(),
});
export type Objective = z.infer<typeof objectiveSchema>;

/** What a single request is held to. All of its samples must keep the bound; without one it is not kept. */
export const requestObjectiveSchema = z.strictObject({
  text: z.string(),
  measure: z.enum(measureNames),
  scope: scopeSchema,
  comparison: z.enum(comparisonOperatorNames),
  bound: z.number(),
});
export type RequestObjective = z.infer<typeof requestObjectiveSchema>;

/** Whether arrivals with these labels are in a scope. */
export const inScope = (scope: ObjectiveScope, labels: Omit<Labels, 'warmUp'>): boolean =>
  (scope.traffic === null || scope.traffic === labels.traffic) &&
  (scope.model === null || scope.model === labels.model) &&
  (scope.key === null || scope.key === labels.key) &&
  (scope.stages === null || scope.stages.includes(labels.stage));

/** What observed figures and bounds are counted in. */
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
  }
};

/**
 * The samples that a statistic needs unless an objective says otherwise. Of a quantile so many that
 * ten lie beyond it, as everywhere in reports; of a mean thirty; an extreme is one sample.
 */
export const defaultMinSamples = (statistic: Statistic): number => {
  if (typeof statistic === 'number') {
    return Math.ceil(10 / Math.min(statistic, 1 - statistic) - 1e-9);
  }
  return statistic === 'mean' ? 30 : 1;
};
