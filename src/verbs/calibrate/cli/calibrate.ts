import { defineVerb, inGroup, switchOption, textOption } from '../../../cli/options/define-verb.ts';
import { numbersFrom } from '../../../cli/options/number-options.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const calibrateVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Grid:', {
      quick: switchOption('Fewer loads, in about half a minute'),
      streams: textOption('Concurrent streams, for example 100,1000'),
      rate: textOption('Tokens per second of each stream, for example 20,50'),
      workers: textOption('Threads that send a load, for example 1,2'),
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for calibration.json and calibration.html [that of the history]'),
    }),
  },
  run: async (given) => {
    const request = {
      ...given,
      streams: numbersFrom('streams', given.streams, [1, 20_000]),
      rates: numbersFrom('rate', given.rate, [1, 1000]),
      workers: numbersFrom('workers', given.workers, [1, 64]),
    };
    const { calibrate } = await import('../calibrate.ts');
    return calibrate(request, terminalHost(given));
  },
});
