import { join } from 'node:path';

const defaultHistoryPath = join('reports', 'history.db');

/** The file of the history: what `WEIR_HISTORY` names, or the usual one; `null` where it says `off`. */
export const historyPath = (environment: NodeJS.ProcessEnv): string | null => {
  const setting = environment['WEIR_HISTORY'];
  if (setting === 'off') return null;
  return setting === undefined || setting === '' ? defaultHistoryPath : setting;
};
