import { ftruncateSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { isThere } from './files.ts';
import { Problem } from './problem.ts';
import { whyUnwritable } from './unreadable.ts';

/** A text file that grows line by line. What stood in it before goes with the first line, not sooner. */
export interface LineFile {
  write(line: string): void;
  /** Waits until everything is on disk; throws a `Problem` if anything could not be written. */
  close(): Promise<void>;
  /** Closes the file as it was found: gone if it was not there. */
  discard(): Promise<void>;
}

const problem = (path: string, error: unknown): Problem =>
  new Problem(`the file ${path} cannot be written: ${whyUnwritable(error)}`);

/** Devices and pipes cannot be cut to length, and need not be. */
const empty = (file: FileHandle): void => {
  try {
    ftruncateSync(file.fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  }
};

/** Opens `path` for writing; throws a `Problem` when that cannot be done. */
export const openLineFile = async (path: string): Promise<LineFile> => {
  const existed = await isThere(path);
  const file = await open(path, 'a').catch((error: unknown) => {
    throw problem(path, error);
  });
  let begun = false;
  let failure: unknown = null;
  const stream = file.createWriteStream();
  stream.on('error', (error) => {
    failure ??= error;
  });
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      stream.once('close', () => resolve());
      stream.end();
    });
  return {
    write: (line) => {
      if (!begun) empty(file);
      begun = true;
      stream.write(`${line}\n`);
    },
    close: async () => {
      await end();
      if (failure !== null) throw problem(path, failure);
    },
    discard: async () => {
      await end();
      if (!existed) await rm(path, { force: true });
    },
  };
};
