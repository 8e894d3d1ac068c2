import { launcherNames } from '../launcher-names.ts';
import {
  defineVerb,
  inGroup,
  positionals,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { sliceCountFrom } from '../../../cli/options/number-options.ts';
import { onLostOption } from '../../fleet/cli/rendezvous-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

/**
 * Reads a number of CPUs or of GiB from an option. The number must be above 0 and at most 4096, which is more than any
 * machine has.
 */
export const amountFrom = (name: string, text: string | undefined, usual: number): number => {
  const amount = text === undefined ? usual : Number(text);
  if (amount > 0 && amount <= 4096) return amount;
  throw new UsageProblem(`--${name}: expected a number greater than 0, got ${text}`);
};

export const emitVerb = defineVerb({
  options: {
    ...inGroup(positionals, {
      launcher: { choices: launcherNames, demandOption: true },
      scenario: { ...textOption('Scenario file: YAML or JSON'), demandOption: true },
    }),
    ...inGroup('Target:', {
      target: textOption('Base address in the place of the scenario’s (https://host/v1)'),
    }),
    ...inGroup('Scale:', {
      slices: { ...textOption('How many workers share the load'), demandOption: true },
      rendezvous: textOption('Where they meet [a NATS server beside them; Slurm: a shared folder]'),
      ...onLostOption,
      cpus: textOption('Cores of each worker [2]'),
      memory: textOption('Memory of each worker in GiB [2]'),
    }),
    ...inGroup('Images:', {
      image: textOption('Image of Weir [weir:VERSION, which `npm run image` builds]'),
      'nats-image': { ...textOption('Image of NATS'), default: 'nats:2.11.10' },
    }),
  },
  run: async (given) => {
    const { emit } = await import('../emit.ts');
    const request = {
      ...given,
      slices: sliceCountFrom(given.slices),
      cpus: amountFrom('cpus', given.cpus, 2),
      memoryGiB: amountFrom('memory', given.memory, 2),
    };
    await emit(request, terminalHost());
    return 'pass';
  },
});
