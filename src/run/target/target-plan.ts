import { Problem, UnusableScenario } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { missingKeyHint } from '../../scenario/rules/credential-rules.ts';
import { placeholderScenario, type ReadPlan, readPlan } from '../input/read-plan.ts';

/** A gateway and its keys, without a load. */
export interface TargetRequest {
  readonly scenario: string | undefined;
  readonly target: string | undefined;
  readonly set: readonly string[];
  readonly allowFiles?: boolean | undefined;
  /** The names of environment variables that contain keys. */
  readonly key: string | undefined;
  readonly secondKey: string | undefined;
}

/**
 * The hint about a missing key. It names `--key`: the verbs that use this file have this option, but `weir run` does
 * not.
 */
const missingKeyHintHere =
  'set it before the run (export WEIR_API_KEY=…), name another variable (--key NAME), or add "keys" to a scenario';

/**
 * Returns a plan with the target and the keys. The traffic in the plan is not used. If the caller has already read a
 * plan for this request, `known` is that plan. The scenario is then not opened again, and the returned plan has only
 * the limits that the scenario declares.
 */
export const targetPlanFor = async (
  request: TargetRequest,
  environment: Environment,
  known: Pick<ReadPlan, 'text'> | null = null,
): Promise<ReadPlan> => {
  const { scenario, target, key, secondKey } = request;
  if (scenario === undefined && target === undefined) {
    throw new Problem(
      'expected a target to examine: --target https://host/v1, --target mock, or a scenario file',
    );
  }
  const variable = (name: string): string => `\${env:${name}}`;
  const set = [...request.set];
  if (key !== undefined || secondKey !== undefined) {
    const keys = [{ name: 'first', key: variable(key ?? 'WEIR_API_KEY') }];
    if (secondKey !== undefined) keys.push({ name: 'second', key: variable(secondKey) });
    set.unshift(`keys=${JSON.stringify(keys)}`);
  }
  const flags = scenario === undefined ? placeholderScenario : {};
  const { allowFiles } = request;
  const again = known === null ? {} : { text: known.text, needsDeclaredLimits: true };
  const source = { scenario, target, flags, set, allowFiles, ...again };
  try {
    return await readPlan(source, environment);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The user gave the keys by an option, so the message names this option.
    const message = error.message.replaceAll(
      /^--set keys[\w.]*(?=: the environment variable (\S+))/gm,
      (place, name) => (name === secondKey ? '--second-key' : name === key ? '--key' : place),
    );
    throw new UnusableScenario(message.replace(missingKeyHint, missingKeyHintHere));
  }
};
