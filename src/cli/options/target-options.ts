import type { PlanSource } from '../../run/input/read-plan.ts';
import {
  type Given,
  inGroup,
  listOption,
  switchOption,
  textOption,
  UsageProblem,
} from './define-verb.ts';

/** The options that name the target and override fields of the scenario file. */
export const targetOptions = inGroup('Target:', {
  target: textOption('Base address (https://host/v1), or `mock`'),
  set: listOption('Override a field of the scenario: --set wire.verifyTls=false'),
  'allow-files': switchOption('Let the scenario name files outside its folder'),
});

/**
 * Returns the source of a plan: the scenario file and its overrides. `wanted` completes the message for a missing file.
 */
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
