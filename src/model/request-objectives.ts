import { measures } from './measures.ts';
import { comparisons, inScope, type RequestObjective } from './objective.ts';
import type { Observation } from './observation.ts';
import type { TrafficKind } from './traffic.ts';

const concerns = (
  { measure, scope }: RequestObjective,
  { traffic, model, key }: Observation,
  stage: string,
): boolean =>
  (measures[measure].traffic as readonly TrafficKind[]).includes(traffic) &&
  inScope(scope, { traffic, model, key, stage });

const keepsBound = (
  { measure, comparison, bound }: RequestObjective,
  observation: Observation,
): boolean => {
  const samples = measures[measure].of(observation);
  if (samples.length === 0) return false;
  for (const sample of samples) {
    if (!comparisons[comparison](sample, bound)) return false;
  }
  return true;
};

/**
 * Which per-request objectives a completed request keeps, in their order; one that does not concern
 * its kind of traffic or its labels is kept. Only completed requests are asked: all others keep none.
 */
export const keptBy = (
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): readonly boolean[] =>
  objectives.map(
    (objective) => !concerns(objective, observation, stage) || keepsBound(objective, observation),
  );
