import type { ToDecider } from './decide-apart.ts';
import type { Decider } from './decision.ts';

/**
 * Records the observations of a message. Returns whether the run is decided, or `false` if the message does not ask for
 * a check.
 */
export const decideOn = (
  decider: Pick<Decider, 'record' | 'isDecided'>,
  { observations, at }: ToDecider,
): boolean => {
  for (const observation of observations) decider.record(observation);
  return at !== null && decider.isDecided(at.now, at.due);
};
