import type { Repetition } from '../../judge/compare/repetition.ts';
import { historyRun } from '../../judge/history/history-run.ts';
import { openHistory } from '../../platform/files/history-db.ts';
import { Problem } from '../../platform/problem.ts';
import { toStderr } from '../../platform/standard-streams.ts';

/** Adds a run that counts to the history at `place` (`null`: to none). That it cannot be written is told and costs nothing else. */
export const storeInHistory = async (
  path: string | null,
  repetition: Repetition,
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
    toStderr(`This run is not in the history: ${error.message}.`);
  }
};
