import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from './problem.ts';

/** A folder for one run's files, opened before the load so that a full disk or a wrong path is found in time. */
export interface RunFolder {
  readonly path: string;
  /** Writes a file whole or not at all: to a temporary name first, then renamed. Returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Removes the folder again if nothing was written into it. */
  discard(): Promise<void>;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file of that name is in the way',
};

export const openRunFolder = async (path: string): Promise<RunFolder> => {
  let created: string | undefined;
  try {
    created = await mkdir(path, { recursive: true });
    const probe = join(path, '.weir-probe');
    await writeFile(probe, 'written to see whether this folder takes files\n');
    await rm(probe);
  } catch (error) {
    if (created !== undefined) await rm(created, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new Problem(
      `the output folder ${path} cannot be written: ${reasons[code] ?? (error as Error).message}. Give another with --out FOLDER`,
    );
  }
  return {
    path,
    write: async (name, text) => {
      const target = join(path, name);
      const draft = `${target}.part`;
      await writeFile(draft, text);
      await rename(draft, target);
      return target;
    },
    discard: async () => {
      if (created !== undefined) await rm(created, { recursive: true, force: true });
    },
  };
};
