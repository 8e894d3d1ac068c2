import { join } from 'node:path';
import { wallClock } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

const defaultHistoryPath = join('reports', 'history.db');

/** Returns the path of the history: the value of `WEIR_HISTORY`, or the default path; `null` if the value is `off`. */
export const historyPath = (environment: Environment): string | null => {
  const setting = environment['WEIR_HISTORY'];
  if (setting === 'off') return null;
  return setting === undefined || setting === '' ? defaultHistoryPath : setting;
};

/** Returns the path of the history; throws a `Problem` if no history is kept. */
export const requireHistoryPath = (environment: Environment): string => {
  const path = historyPath(environment);
  if (path !== null) return path;
  throw new Problem('no history is kept: WEIR_HISTORY is `off`; unset it, or set it to a file');
};

/**
 * Returns the folder for a run's files: the folder that the user named, or a new folder such as
 * `reports/2026-11-20T23-40-05Z-quickstart`. The names of new folders sort by time, and are valid on every file system.
 */
export const folderFor = (out: string | undefined, name: string): string => {
  if (out !== undefined) return out;
  const time = wallClock().replace(/\.\d+/, '').replaceAll(':', '-');
  const safe = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return join('reports', `${time}-${safe || 'run'}`);
};

/**
 * The name of the file with the data of a run in progress. This file is in the run's folder until the reports are
 * written.
 */
export const checkpointFileName = 'checkpoint.jsonl';
