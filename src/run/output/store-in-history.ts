import type { Repetition } from '../../judge/series/repetition.ts';
import { historyRun } from '../../judge/series/history-run.ts';
import { openHistory } from '../../platform/files/history-db.ts';
import { Problem } from '../../platform/problem.ts';

/** Adds a run, if it counts, to the history at `path` (`null` for none). Only warns if the file cannot be written. */
export const storeInHistory = async (
  path: string | null,
  repetition: Repetition,
  warn: (text: string) => void,
): Promise<void> => {
  const run = historyRun(repetition);
  if (path === null || run === null) return;
  try {
    const history = await openHistory(path);
    try {
      history.add(run);
    } finally {
      history.close();
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    warn(`This run is not in the history: ${error.message}.`);
  }
};
