import type { Plan } from '../../model/plan/plan.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { withoutPrompts } from '../../model/plan/without-prompts.ts';
import type { ResultFacts } from '../../model/result/result.ts';
import { weirVersion } from '../../platform/host/machine.ts';

export type RunFacts = Pick<ResultFacts, 'weir' | 'runId' | 'planHash' | 'plan'>;

/** Returns the default id of a run. All slices of a plan have the same default id. */
export const defaultRunId = (plan: Plan): string => `weir-${planHash(plan).slice(0, 8)}`;

export const runFacts = (plan: Plan, runId: string): RunFacts => ({
  weir: weirVersion(),
  runId,
  planHash: planHash(plan),
  plan: withoutPrompts(plan),
});
