import { appendText } from '../../platform/files/plain-files.ts';

/**
 * Appends a text to the summary page of a CI job. Does nothing without a page, and only warns if the page cannot be
 * written.
 */
export const appendJobSummary = async (
  path: string | undefined,
  text: string,
  warn: (text: string) => void,
): Promise<void> => {
  if (path === undefined) return;
  try {
    await appendText(path, text);
  } catch (error) {
    warn(`GITHUB_STEP_SUMMARY could not be written: ${(error as Error).message}`);
  }
};
