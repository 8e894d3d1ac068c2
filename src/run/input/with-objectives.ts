import type { Result } from '../../model/result/result.ts';
import { Problem } from '../../platform/problem.ts';
import { compileObjective } from '../../scenario/compile/compile.ts';
import { parseObjective } from '../../scenario/compile/objective-grammar.ts';

/** Replaces the objectives in the plan of a result. Throws a `Problem` if one of them is wrong. */
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
    // A stair load has a stage for each step, and a stored plan contains only the names of these stages.
    return parsed.value.labels
      .filter(({ label, name }) => label === 'stage' && !stageNames.includes(name))
      .map(
        ({ name }) =>
          `objective ${text}: the plan has no stage "${name}": expected one of ${stageNames.join(', ')}`,
      );
  });
  if (problems.length > 0) throw new Problem(problems.join('\n'));
  const stages = new Map<string, readonly string[]>();
  const compiled = objectives.map((text) => compileObjective(text, stages));
  return { ...result, plan: { ...result.plan, objectives: compiled } };
};
