import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { missingKeyHint } from '../../scenario/rules/credential-rules.ts';
import { placeholderScenario, type ReadPlan, readPlan } from '../input/read-plan.ts';

/** A gateway to query, and the keys for it, without any load. */
export interface TargetRequest {
  readonly scenario: string | undefined;
  readonly target: string | undefined;
  readonly set: readonly string[];
  readonly allowFiles?: boolean | undefined;
  /** Names of environment variables that contain keys. */
  readonly key: string | undefined;
  readonly secondKey: string | undefined;
}

/** The hint for a missing key. Verbs that query a target have an option for the key; `weir run` has none. */
const missingKeyHintHere =
  'set it before the run (export WEIR_API_KEY=…), name another variable (--key NAME), or add "keys" to a scenario';

/** A plan with the target and the keys; its traffic is not used. */
export const targetPlanFor = async (
  request: TargetRequest,
  environment: Environment,
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
  const source = { scenario, target, flags, set, allowFiles: request.allowFiles };
  try {
    return await readPlan(source, environment);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.message.replace(missingKeyHint, missingKeyHintHere));
  }
};
