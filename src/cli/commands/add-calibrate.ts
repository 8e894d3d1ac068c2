import type { Argv } from 'yargs';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { withOutputOptions } from '../options/output-options.ts';

/** The verb `calibrate`. */
export const addCalibrate = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'calibrate',
    'Measure how exactly this machine measures; later reports quote it',
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
          describe: 'Streams at the same time, for example 100,1000',
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
      const { calibrate } = await import('../verbs/calibrate.ts');
      ended(
        await calibrate({
          quick: given.quick,
          streams: given.streams,
          rate: given.rate,
          workers: given.workers,
          out: given.out,
          json: given.json,
          quiet: given.quiet,
        }),
      );
    },
  );
