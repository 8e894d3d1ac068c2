import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

const defaultHistoryPath = join('reports', 'history.db');

/** The path of the history: the value of `WEIR_HISTORY`, or the default; `null` if it is `off`. */
export const historyPath = (environment: Environment): string | null => {
  const setting = environment['WEIR_HISTORY'];
  if (setting === 'off') return null;
  return setting === undefined || setting === '' ? defaultHistoryPath : setting;
};

/** The path of the history; throws a `Problem` if none is kept. */
export const requireHistoryPath = (environment: Environment): string => {
  const path = historyPath(environment);
  if (path !== null) return path;
  throw new Problem('no history is kept: WEIR_HISTORY is `off`; unset it, or set it to a file');
};
