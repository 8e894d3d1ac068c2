import { open } from 'node:fs/promises';
import { Problem } from './problem.ts';

/** A text file that grows line by line. */
export interface LineFile {
  write(line: string): void;
  /** Waits until everything is on disk; rejects if anything could not be written. */
  close(): Promise<void>;
}

/** Opens `path` for writing, replacing what was there; throws a `Problem` when that cannot be done. */
export const openLineFile = async (path: string): Promise<LineFile> => {
  const file = await open(path, 'w').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Problem(`the file ${path} cannot be written: ${code ?? message}`);
  });
  const stream = file.createWriteStream();
  let failure: Error | null = null;
  stream.on('error', (error) => {
    failure = error;
  });
  return {
    write: (line) => {
      stream.write(`${line}\n`);
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        stream.end(() => resolve());
        stream.once('error', () => resolve());
      });
      if (failure !== null) throw failure;
    },
  };
};
