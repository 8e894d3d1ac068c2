import { attemptsOf, type Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { populationNamed } from './block-plan.ts';
import type { SeenArrival } from './model/seen-arrival.ts';
import { sumOf } from '../../model/sums.ts';

export const fairnessFigures = ['ttft', 'endToEnd'] as const;
export type FairnessMeasure = (typeof fairnessFigures)[number];

/**
 * Returns when the end of an answer arrived, or when its first token arrived if `measure` is `ttft`; infinity for a
 * failure.
 */
const cameAt = ({ outcome, ended }: Observation, measure: FairnessMeasure): number => {
  if (outcome.kind !== 'completed') return Number.POSITIVE_INFINITY;
  if (measure === 'endToEnd') return ended;
  return (outcome.answer.kind === 'chat-stream' ? outcome.answer.firstToken : null) ?? Infinity;
};

/** Returns how much the load generator may have delayed a request and the reading of its answer, in ms. */
const ownDelay = (observation: Observation, measure: FairnessMeasure): number => {
  const late = sumOf(attemptsOf(observation), ({ begun, released }) => begun - released);
  const { readDelays } = observation;
  return late + ((measure === 'ttft' ? readDelays?.first : readDelays?.end) ?? 0);
};

const tokensOf = ({ outcome }: Observation): number => {
  if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return 0;
  const { input, output } = outcome.answer.tokens;
  return (input ?? 0) + output;
};

/** Returns the properties of an observation that the judges need. */
export const seenArrival = (
  observation: Observation,
  plan: Plan,
  measure: FairnessMeasure,
): SeenArrival => {
  const { stage, traffic, key, due, outcome, toCancel } = observation;
  const most = cameAt(observation, measure) - due;
  const isCancelled = toCancel === true || outcome.kind === 'cancelled';
  return {
    population: populationNamed(plan.stages[stage]?.population ?? ''),
    key,
    due,
    ended: observation.ended,
    isTimed: !isCancelled && (measure === 'endToEnd' || traffic === 'chat-stream'),
    least: Math.max(0, most - ownDelay(observation, measure)),
    most,
    isCompleted: outcome.kind === 'completed' || isCancelled,
    limited: attemptsOf(observation).filter((attempt) => attempt.outcome.kind === 'limited').length,
    tokens: tokensOf(observation),
    sent: attemptsOf(observation).filter(({ sent }) => sent !== null).length,
    cost: outcome.kind === 'completed' && 'cost' in outcome.answer ? outcome.answer.cost : 0,
  };
};
