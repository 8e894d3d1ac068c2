import { constants, ftruncateSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { pathExists } from './run-folder.ts';
import { type Problem, UnwritableOutput } from '../problem.ts';
import { whyUnwritable } from './file-error-reasons.ts';
import { waitAtMost } from '../wait-at-most.ts';

/** A text file that is written line by line. The first line replaces the old content of the file. */
export interface LineFile {
  write(line: string): void;
  /** Waits until all lines are written; throws a `Problem` if a line could not be written. */
  close(): Promise<void>;
  /**
   * Closes the file, and removes a file that did not exist before it was opened. Must be called only if no line was
   * written.
   */
  discard(): Promise<void>;
}

/**
 * The maximum time for writing the last lines, in ms. The time is limited, since the file may be a pipe whose reader
 * has stopped reading.
 */
const closeTimeout = 5000;

const unwritableFailure = (path: string, error: unknown): Problem =>
  new UnwritableOutput(`the file ${path} cannot be written: ${whyUnwritable(error)}`);

/** Truncates a file. Does nothing for devices and pipes, which cannot be truncated. */
const truncate = (file: FileHandle): void => {
  try {
    ftruncateSync(file.fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  }
};

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Opens `path` for writing. Symbolic links are followed only if `mayBeLink` is true. Throws a `Problem` if the file
 * cannot be opened.
 */
export const openLineFile = async (path: string, mayBeLink = true): Promise<LineFile> => {
  const existed = await pathExists(path);
  const flags = O_WRONLY | O_CREAT | O_APPEND | (mayBeLink ? 0 : O_NOFOLLOW);
  const file = await open(path, flags).catch((error: unknown) => {
    throw unwritableFailure(path, error);
  });
  let hasWritten = false;
  let failure: unknown = null;
  const stream = file.createWriteStream();
  // The listener is added before any write, since a stream that fails emits `close` at once.
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  const fail = (error: unknown): void => {
    failure ??= error;
  };
  stream.on('error', fail);
  const end = async (): Promise<void> => {
    stream.end();
    await waitAtMost(closeTimeout, closed);
    if (!stream.closed)
      fail(new Error(`it did not take its last lines within ${closeTimeout / 1000} s`));
  };
  const beginWriting = (): void => {
    if (hasWritten) return;
    hasWritten = true;
    try {
      truncate(file);
    } catch (error) {
      fail(error);
    }
  };
  return {
    write: (line) => {
      beginWriting();
      if (failure === null) stream.write(`${line}\n`);
    },
    close: async () => {
      await end();
      if (failure !== null) throw unwritableFailure(path, failure);
    },
    discard: async () => {
      await end();
      if (!existed) await rm(path, { force: true });
    },
  };
};
