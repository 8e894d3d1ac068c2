import { withOutputOptions } from '../options/output-options.ts';
import { numbersFrom } from '../options/number-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addCalibrate: AddVerb = (cli, ended) =>
  cli.command(
    'calibrate',
    'Determine the measurement error of this machine; later reports quote it',
    (builder) =>
      withOutputOptions(builder).options({
        quick: {
          type: 'boolean',
          default: false,
          group: 'Grid:',
          describe: 'Fewer loads, in about half a minute',
        },
        streams: {
          type: 'string',
          group: 'Grid:',
          describe: 'Concurrent streams, for example 100,1000',
        },
        rate: {
          type: 'string',
          group: 'Grid:',
          describe: 'Tokens per second of each stream, for example 20,50',
        },
        workers: {
          type: 'string',
          group: 'Grid:',
          describe: 'Threads that send a load, for example 1,2',
        },
        out: {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for calibration.json and calibration.html [that of the history]',
        },
      }),
    async (given) => {
      const request = {
        quick: given.quick,
        streams: numbersFrom('streams', given.streams, [1, 20_000]),
        rates: numbersFrom('rate', given.rate, [1, 1000]),
        workers: numbersFrom('workers', given.workers, [1, 64]),
        out: given.out,
      };
      const { calibrate } = await import('../../run/calibrate/calibrate.ts');
      ended(await calibrate(request, terminalHost(given)));
    },
  );
