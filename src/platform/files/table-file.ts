import { realpath, rename, rm, stat } from 'node:fs/promises';
import { UnwritableOutput } from '../problem.ts';
import { whyUnwritable } from './file-error-reasons.ts';
import { fileErrorCode } from './plain-files.ts';
import { openLineFile } from './line-file.ts';

/**
 * A table that is written line by line to a temporary file. The temporary file is renamed when the table is complete.
 */
export interface TableFile {
  /** Adds a line. The line must not end with a line feed. */
  add(line: string): void;
  /**
   * Waits until the whole table is on disk under its final name. Throws a `Problem` if the table could not be written.
   */
  complete(): Promise<void>;
  /** Discards the table. An earlier file with the final name stays unchanged. */
  discard(): Promise<void>;
}

/** Makes the file `to` from the lines of the file `from`. */
export type ConvertLines = (from: string, to: string) => Promise<void>;

/** Collected lines are written to disk once they have this many characters in total. */
const batchLength = 64 * 1024;

/**
 * Returns a path with all symbolic links followed. The file need not exist. Throws a `Problem` if the path leads to
 * something other than a regular file.
 */
const destinationOf = async (path: string): Promise<string> => {
  try {
    const whole = await realpath(path);
    if ((await stat(whole)).isFile()) return whole;
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return path;
    throw new UnwritableOutput(`the file ${path} cannot be written: ${whyUnwritable(error)}`);
  }
  throw new UnwritableOutput(
    `the file ${path} cannot be written: expected a file, or a name that is free; it is a folder, a device or a pipe`,
  );
};

/**
 * Opens a table at `path`. Until the table is complete, its lines are in `PATH.part`. With `convert`, the lines are in
 * `PATH.rows.part` until they are converted at the end. Throws a `Problem` if the table cannot be written.
 */
export const openTableFile = async (
  path: string,
  convert: ConvertLines | null,
): Promise<TableFile> => {
  const destination = await destinationOf(path);
  const draft = `${destination}.part`;
  const linesPath = convert === null ? draft : `${destination}.rows.part`;
  // A killed run may have left a file with this name.
  await rm(linesPath, { force: true });
  const lines = await openLineFile(linesPath, false);
  let batch: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (batch.length > 0) lines.write(batch.join('\n'));
    batch = [];
    length = 0;
  };
  const convertLines = async (use: ConvertLines): Promise<void> => {
    try {
      await use(linesPath, draft);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw new UnwritableOutput(
        `the file ${path} cannot be written: ${whyUnwritable(error)}; its rows are in ${linesPath}, as JSON`,
      );
    }
  };
  return {
    add: (line) => {
      batch.push(line);
      length += line.length;
      if (length >= batchLength) flush();
    },
    complete: async () => {
      flush();
      await lines.close();
      if (convert !== null) await convertLines(convert);
      await rename(draft, destination);
      if (convert !== null) await rm(linesPath, { force: true });
    },
    discard: () => lines.discard(),
  };
};
