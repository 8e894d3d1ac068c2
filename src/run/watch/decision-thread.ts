/** This thread checks whether a run in progress is decided. The load does not wait for the check. */
import type { Plan } from '../../model/plan/plan.ts';
import { currentThread } from '../../platform/process/thread.ts';
import type { FromDecider, ToDecider } from './decide-apart.ts';
import { decideOn } from './decide-on.ts';
import { Decider } from './decision.ts';

const thread = currentThread<Plan, ToDecider, FromDecider>();
const decider = new Decider(thread.input);
thread.listen((message) => {
  if (decideOn(decider, message)) thread.post({ isDecided: true });
});
