import { appendFile } from 'node:fs/promises';
import { toStderr } from '../../platform/standard-streams.ts';

/** The page of a GitHub job gets a text too, where there is one; that it cannot be written must not fail the job. */
export const appendJobSummary = async (
  environment: NodeJS.ProcessEnv,
  text: string,
): Promise<void> => {
  const path = environment['GITHUB_STEP_SUMMARY'];
  if (path === undefined || path === '') return;
  try {
    await appendFile(path, text);
  } catch (error) {
    toStderr(`GITHUB_STEP_SUMMARY could not be written: ${(error as Error).message}`);
  }
};
