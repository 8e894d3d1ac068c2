import { access, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Problem } from '../problem.ts';

/** A folder for one run's files, opened before the load so that a full disk or a wrong path is found in time. */
export interface RunFolder {
  readonly path: string;
  /** The names of what stood in it before. */
  readonly existingNames: ReadonlySet<string>;
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
  ENOENT: 'no folder can be made there',
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
};

/** Whether there is anything at a path. */
export const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Makes one folder, unless another process of the same run is quicker: then it is not ours to remove. */
const createOneFolder = async (path: string): Promise<boolean> => {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
    return false;
  }
};

/**
 * Makes a folder and what is missing above it, one by one: Node's own way with parents never comes
 * back from a file system that says ENOENT to everything, such as /proc. `made` hears of each
 * folder that was not there.
 */
const createFolder = async (path: string, onCreated: (path: string) => void): Promise<void> => {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await createFolder(parent, onCreated);
  if (await createOneFolder(path)) onCreated(path);
};

export const openRunFolder = async (path: string): Promise<RunFolder> => {
  let created: string | undefined;
  let existingNames: readonly string[] = [];
  try {
    await createFolder(resolve(path), (onCreated) => {
      created ??= onCreated;
    });
    existingNames = await readdir(path);
    const probe = join(path, '.weir-probe');
    await writeFile(probe, 'written to see whether this folder takes files\n');
    await rm(probe, { force: true });
  } catch (error) {
    if (created !== undefined) await rm(created, { recursive: true, force: true });
    throw new Problem(
      `the output folder ${path} cannot be written: ${reasons[codeOf(error)] ?? (error as Error).message}. Give another with --out FOLDER`,
    );
  }
  return {
    path,
    existingNames: new Set(existingNames),
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
