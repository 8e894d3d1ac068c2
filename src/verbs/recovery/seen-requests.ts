import { attemptsOf, type Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { SeenRequest } from './model/seen-request.ts';

const cameAt = ({ outcome, ended }: Observation): number => {
  if (outcome.kind !== 'completed') return Number.POSITIVE_INFINITY;
  return outcome.answer.kind === 'chat-stream' ? (outcome.answer.firstToken ?? ended) : ended;
};

/** Returns the facts of an observation that the judges need. */
export const seenRequest = (observation: Observation, plan: Plan): SeenRequest => ({
  policy: plan.stages[observation.stage]?.population ?? '',
  due: observation.due,
  ended: observation.ended,
  came: cameAt(observation),
  attempts: attemptsOf(observation).flatMap(({ sent, outcome }) =>
    sent === null ? [] : [{ sent, isAnswered: outcome.kind !== 'broken' }],
  ),
  named: observation.earlier.filter(({ waitBy }) => waitBy !== 'backoff').length,
});
