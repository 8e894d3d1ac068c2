import { constantLoad } from '../../engine/fake-run.fixture.ts';
import type { Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

const objective = (bound: number): Objective =>
  sampleObjective({
    text: `e2e.p95 < ${bound}ms`,
    bound,
    minSamples: 200,
  });

/** Returns a plan of 20 chats a second, which ends after `length` ms, or once their p95 is decided for each bound. */
export const planUntilDecided = (length: number, ...bounds: readonly number[]) =>
  samplePlan({
    warmUp: milliseconds(0),
    until: 'decided',
    objectives: bounds.map(objective),
    stages: samplePlan().stages.map((stage) => ({ ...stage, load: constantLoad(20, length) })),
  });
