import { lstat, realpath, stat } from 'node:fs/promises';
import { createText, fileErrorCode, removeFile, writeWhole } from './plain-files.ts';
import { whyUnwritable } from './file-error-reasons.ts';
import { openLineFile } from './line-file.ts';
import { Problem } from '../problem.ts';

/**
 * A file whose text is known only at the end of a run. The file is opened earlier, so a wrong path is noticed early.
 */
export interface ReportFile {
  /** Writes the file, if possible completely or not at all; throws a `Problem` if the file cannot be written. */
  write(text: string): Promise<void>;
  /** Closes the file without writing. The earlier content of the file stays. */
  discard(): Promise<void>;
}

/**
 * Returns the path of the regular file to which a path leads, with all symbolic links followed. If nothing is at the
 * path, returns the path itself. Returns `null` if the path leads to something else, such as a device, a pipe or a link
 * without a target.
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

/** Returns whether a draft can be written. The check removes its draft, so a killed run leaves no file. */
const canWrite = async (draft: string): Promise<boolean> => {
  try {
    await removeFile(draft);
    await createText(draft, '');
    return true;
  } catch {
    return false;
  } finally {
    await removeFile(draft).catch(() => undefined);
  }
};

/**
 * Opens a file for a report. Opening usually creates no file: later, the text is written to a draft, and the draft is
 * renamed. If a draft is impossible, the text is written directly to the file. This is the case for a device, for a
 * pipe, and for a file in a folder that is not writable. Throws a `Problem` if the file cannot be written.
 */
export const openReportFile = async (path: string): Promise<ReportFile> => {
  const destination = await regularFileAt(path);
  if (destination !== null && (await canWrite(`${destination}.part`))) {
    return {
      write: (text) =>
        writeWhole(destination, text).catch((error: unknown) => {
          throw new Problem(`the file ${path} cannot be written: ${whyUnwritable(error)}`);
        }),
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
