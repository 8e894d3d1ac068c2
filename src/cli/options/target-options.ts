import { inGroup, listOption, switchOption, textOption } from './define-verb.ts';

/** The options of a verb that takes its target from a scenario file and sends requests of its own. */
export const targetOptions = inGroup('Target:', {
  target: textOption('Base address (https://host/v1), or `mock`'),
  set: listOption('Override a field of the scenario: --set wire.verifyTls=false'),
  'allow-files': switchOption('Let the scenario name files outside its folder'),
});
