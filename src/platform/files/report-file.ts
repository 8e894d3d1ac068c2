import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { fileErrorCode } from './plain-files.ts';
import { whyUnwritable } from './file-error-reasons.ts';
import { openLineFile } from './line-file.ts';
import { Problem } from '../problem.ts';

/** A file whose whole text is known at the end. It is opened before, so that a wrong path is noticed early. */
export interface ReportFile {
  /** Writes the file completely or not at all; throws a `Problem` if it cannot be written. */
  write(text: string): Promise<void>;
  /** Gives the file up. What was there before stays. */
  discard(): Promise<void>;
}

/**
 * Returns the path of the regular file to which a path leads, or which it would create. Returns `null` if something
 * else is there, such as a device, a pipe or a link to nothing.
 */
const regularFileAt = async (path: string): Promise<string | null> => {
  try {
    const whole = await realpath(path);
    return (await stat(whole)).isFile() ? whole : null;
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') return null;
    const isLink = await lstat(path).then(
      () => true,
      () => false,
    );
    return isLink ? null : path;
  }
};

/** Tells whether a draft can be written. Nothing stays of it, so that a killed run leaves nothing. */
const canWrite = async (draft: string): Promise<boolean> => {
  try {
    await writeDraft(draft, '');
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
};

/** The old draft is removed first, so that nothing is written through a link that somebody put in its place. */
const writeDraft = async (draft: string, text: string): Promise<void> => {
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: 'wx' });
};

/**
 * Opens a file for a report. Nothing is created yet, except where a draft cannot be renamed: a device, a pipe, or a
 * file in a folder that is not writable gets the text directly. Throws a `Problem` if the file cannot be written.
 */
export const openReportFile = async (path: string): Promise<ReportFile> => {
  const destination = await regularFileAt(path);
  const draft = `${destination}.part`;
  if (destination !== null && (await canWrite(draft))) {
    return {
      write: async (text) => {
        try {
          await writeDraft(draft, text);
          await rename(draft, destination);
        } catch (error) {
          await rm(draft, { force: true }).catch(() => undefined);
          throw new Problem(`the file ${path} cannot be written: ${whyUnwritable(error)}`);
        }
      },
      discard: () => Promise.resolve(),
    };
  }
  const file = await openLineFile(path);
  return {
    write: async (text) => {
      file.write(text.replace(/\n$/, ''));
      await file.close();
    },
    discard: () => file.discard(),
  };
};
