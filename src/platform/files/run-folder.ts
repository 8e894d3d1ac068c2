import { access, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Problem } from '../problem.ts';

/** A folder for one run's files, opened before the load so that a full disk or a wrong path shows early. */
export interface RunFolder {
  readonly path: string;
  /** The names of the files that were there before. */
  readonly existingNames: ReadonlySet<string>;
  /** Writes a file completely or not at all, by renaming a temporary one. Returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Removes the folder if this run created it. */
  discard(): Promise<void>;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'there is a file of that name',
  ENOENT: 'no folder can be created there',
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

export const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Creates one folder; `false` if another process of the same run was quicker: then it is not ours to remove. */
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
 * Creates a folder and its missing parents, one by one: Node's recursive `mkdir` never returns
 * on a file system that answers ENOENT to everything, such as /proc. Calls `onCreated` with each
 * folder that it creates.
 */
const createFolder = async (path: string, onCreated: (path: string) => void): Promise<void> => {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await createFolder(parent, onCreated);
  if (await createOneFolder(path)) onCreated(path);
};

export const openRunFolder = async (path: string): Promise<RunFolder> => {
  let created: string | undefined;
  const discard = async (): Promise<void> => {
    if (created !== undefined) await rm(created, { recursive: true, force: true });
  };
  let existingNames: readonly string[] = [];
  try {
    await createFolder(resolve(path), (onCreated) => {
      created ??= onCreated;
    });
    existingNames = await readdir(path);
    const probe = join(path, '.weir-probe');
    await writeFile(probe, 'written to test whether this folder is writable\n');
    await rm(probe, { force: true });
  } catch (error) {
    await discard();
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
    discard,
  };
};
