/** This thread checks whether a run under way is decided, so that the load does not wait for the check. */
import type { Plan } from '../../model/plan/plan.ts';
import { currentThread } from '../../platform/process/thread.ts';
import type { FromDecider, ToDecider } from './decide-apart.ts';
import { Decider } from './decision.ts';

const thread = currentThread<Plan, ToDecider, FromDecider>();
const decider = new Decider(thread.input);
thread.listen(({ observations, at }) => {
  for (const observation of observations) decider.record(observation);
  if (at !== null && decider.isDecided(at.now, at.due)) thread.post({ isDecided: true });
});
