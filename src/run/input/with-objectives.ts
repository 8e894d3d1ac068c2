import type { Result } from '../../model/result/result.ts';
import { targetNameOf } from '../../model/plan/targets.ts';
import { Problem } from '../../platform/problem.ts';
import { compileObjective } from '../../scenario/compile/compile.ts';
import { parseObjective } from '../../scenario/compile/objective-grammar.ts';

/** Replaces the objectives in the plan of a result. Throws a `Problem` if an objective is wrong. */
export const withObjectives = (
  result: Result,
  objectives: readonly string[] | undefined,
): Result => {
  if (objectives === undefined) return result;
  const stageNames = result.plan.stages.map(({ name }) => name);
  const problems = objectives.flatMap((text) => {
    const parsed = parseObjective(text);
    if (!parsed.ok) {
      const { message, hint } = parsed.error;
      return [`objective ${text}: ${message}${hint === null ? '' : `; ${hint}`}`];
    }
    // A stair load becomes one stage for each step, and a stored plan contains only the names of these stages. So an
    // objective must use the names in the plan.
    const known: Partial<Record<string, readonly string[]>> = {
      stage: stageNames,
      population: (result.plan.populations ?? []).map(({ name }) => name),
      target: (result.plan.targets ?? []).map(({ name }) => name),
    };
    return parsed.value.labels
      .filter(({ label, name }) => known[label]?.includes(name) === false)
      .map(
        ({ label, name }) =>
          `objective ${text}: the plan has no ${label} "${name}": expected one of ${known[label]!.join(', ')}`,
      );
  });
  if (problems.length > 0) throw new Problem(problems.join('\n'));
  const byPopulation = Map.groupBy(result.plan.stages, (stage) => stage.population ?? '');
  const population = new Map(
    Array.from(byPopulation, ([name, all]) => [name, all.map((stage) => stage.name)]),
  );
  const { plan } = result;
  const places = [...plan.stages.keys()];
  const byTarget = Map.groupBy(places, (stage) => targetNameOf(plan, stage) ?? '');
  const target = new Map(
    Array.from(byTarget, ([name, all]) => [name, all.map((stage) => plan.stages[stage]!.name)]),
  );
  const keys = plan.keys.map(({ name }) => name);
  const stages = { stage: new Map<string, readonly string[]>(), population, target, keys };
  const compiled = objectives.map((text) => compileObjective(text, stages));
  return { ...result, plan: { ...result.plan, objectives: compiled } };
};
