import { join } from 'node:path';

const usual = join('reports', 'history.db');

/** The file of the history: what `WEIR_HISTORY` names, or the usual one; `null` where it says `off`. */
export const historyPlace = (environment: NodeJS.ProcessEnv): string | null => {
  const named = environment['WEIR_HISTORY'];
  if (named === 'off') return null;
  return named === undefined || named === '' ? usual : named;
};
