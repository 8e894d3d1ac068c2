import type { OutputOptions } from '../../run/input/run-request.ts';
import type { Argv } from 'yargs';
import { historyPath } from '../../run/input/history-path.ts';
import { outputOptionsFrom } from './output-options.ts';

export const historyOption = <T>(builder: Argv<T>) =>
  builder.option('history', {
    type: 'boolean',
    default: true,
    group: 'Output:',
    describe: 'Keep the run in reports/history.db, or in $WEIR_HISTORY; --no-history does not',
  });

/** How a result is told, and where it is kept (`null`: nowhere). */
export const outputAndHistoryFrom = (
  given: Parameters<typeof outputOptionsFrom>[0] & { readonly history: boolean },
): OutputOptions & { readonly history: string | null } => ({
  ...outputOptionsFrom(given),
  history: given.history ? historyPath(process.env) : null,
});
