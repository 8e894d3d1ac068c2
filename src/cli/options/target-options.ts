import { inGroup, listOption, switchOption, textOption } from './define-verb.ts';

/** The options that say where requests go, and that change the scenario file which says it otherwise. */
export const targetOptions = inGroup('Target:', {
  target: textOption('Base address (https://host/v1), or `mock`'),
  set: listOption('Override a field of the scenario: --set wire.verifyTls=false'),
  'allow-files': switchOption('Let the scenario name files outside its folder'),
});
