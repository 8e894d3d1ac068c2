import type { ToDecider } from './decide-apart.ts';
import type { Decider } from './decision.ts';

/** Records what a message says was observed, and returns whether the run is decided if the message asks for that. */
export const decideOn = (
  decider: Pick<Decider, 'record' | 'isDecided'>,
  { observations, at }: ToDecider,
): boolean => {
  for (const observation of observations) decider.record(observation);
  return at !== null && decider.isDecided(at.now, at.due);
};
