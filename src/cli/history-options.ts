import type { Argv } from 'yargs';
import { historyPlace } from './history-place.ts';
import { type Telling, tellingFrom } from './report-options.ts';

export const historyOption = <T>(builder: Argv<T>) =>
  builder.option('history', {
    type: 'boolean',
    default: true,
    group: 'Output:',
    describe: 'Keep the run in reports/history.db, or in $WEIR_HISTORY; --no-history does not',
  });

/** How a result is told, and where it is kept (`null`: nowhere). */
export const keepingFrom = (
  given: Parameters<typeof tellingFrom>[0] & { readonly history: boolean },
): Telling & { readonly history: string | null } => ({
  ...tellingFrom(given),
  history: given.history ? historyPlace(process.env) : null,
});
