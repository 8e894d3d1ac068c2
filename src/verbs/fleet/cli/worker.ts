import { defineVerb, inGroup, switchOption, textOption } from '../../../cli/options/define-verb.ts';
import { lengthFrom, rendezvousOptions } from './rendezvous-options.ts';
import { sliceFrom } from '../../../cli/options/scenario-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const workerVerb = defineVerb({
  options: {
    ...inGroup('Scale:', {
      ...rendezvousOptions('How long to wait for a coordinator [5m]'),
      slice: textOption(
        'The slice to run, INDEX/COUNT, or auto under Kubernetes, Slurm, Swarm [the next that is free]',
      ),
    }),
    ...inGroup('Scenario:', {
      folder: textOption('Folder with the scenario’s files and secrets [.]'),
      'allow-files': switchOption('Let the plan name files outside this folder'),
      'key-check': {
        type: 'boolean',
        default: true,
        describe: 'List the models with each key before the load; disable with --no-key-check',
      },
    }),
    ...inGroup('Output:', {
      out: textOption('Also keep this slice’s result.json in this folder'),
      observations: textOption('Also write one JSON line for each request to this file'),
      quiet: switchOption('Print only errors and warnings'),
    }),
  },
  run: async (given) => {
    const { rendezvous, folder = '.', allowFiles, keyCheck, out, observations } = given;
    const request = {
      rendezvous,
      folder,
      allowFiles,
      keyCheck,
      out,
      observations,
      slice: given.slice === undefined ? null : sliceFrom(given.slice, process.env),
      wait: lengthFrom('wait', given.wait, 300_000),
    };
    const { workOnce } = await import('../work.ts');
    return workOnce(request, terminalHost(given));
  },
});
