import { measures } from '../measures/measures.ts';
import { comparisonOperators, inScope, type RequestObjective } from './objective.ts';
import type { Observation } from '../observation/observation.ts';
import type { TrafficKind } from '../workload/traffic.ts';

const appliesTo = (
  { measure, scope }: RequestObjective,
  { traffic, model, key }: Observation,
  stage: string,
): boolean =>
  (measures[measure].traffic as readonly TrafficKind[]).includes(traffic) &&
  inScope(scope, { traffic, model, key, stage });

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
