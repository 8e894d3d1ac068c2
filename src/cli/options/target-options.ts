import type { PlanSource } from '../../run/input/read-plan.ts';
import {
  type Given,
  inGroup,
  listOption,
  switchOption,
  textOption,
  UsageProblem,
} from './define-verb.ts';

/** The options that say where requests go, and that change the scenario file which says it otherwise. */
export const targetOptions = inGroup('Target:', {
  target: textOption('Base address (https://host/v1), or `mock`'),
  set: listOption('Override a field of the scenario: --set wire.verifyTls=false'),
  'allow-files': switchOption('Let the scenario name files outside its folder'),
});

/** Returns the scenario file with what changes it. `wanted` says what must be in it, and names an example. */
export const scenarioSourceFrom = (
  {
    scenario,
    set,
    target,
    allowFiles,
  }: Given<typeof targetOptions> & { readonly scenario: string | undefined },
  wanted: string,
): PlanSource => {
  if (scenario === undefined)
    throw new UsageProblem(`expected a scenario file ${wanted}; got nothing`);
  return { scenario, flags: {}, set, target, allowFiles };
};
