import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  access,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Problem, UnwritableOutput } from '../problem.ts';
import { fileErrorCode, writeWhole } from './plain-files.ts';

/** Thrown if another run in progress uses the folder, or if a folder that must be new exists. */
class FolderInUse extends UnwritableOutput {}

const lockName = '.weir-lock';

/** A lock of another machine is stale if neither the lock nor the checkpoint beside it has changed for this many ms. */
const signOfLifeTimeout = 60_000;
/** The maximum time that writing a lock takes, in ms. A lock without content is valid for this time. */
const writingTime = 2000;

/** Returns the ms since the last change of a file; infinity if the file does not exist. */
const ageOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/**
 * Returns whether the run that wrote a lock may still be running. If the lock is from this machine, the process of the
 * run is checked. If the lock is from another machine or a container, the lock or the checkpoint of the run must have
 * changed recently, since a run adds to its checkpoint every few seconds.
 */
const mayBeAlive = async (folder: string, line: string): Promise<boolean> => {
  const [, pid, host] = /^(\d{1,9}) (\S+) \S+\n$/.exec(line) ?? [];
  const age = await ageOf(join(folder, lockName));
  if (pid === undefined) return age < writingTime;
  if (host !== hostname()) {
    return Math.min(age, await ageOf(join(folder, 'checkpoint.jsonl'))) < signOfLifeTimeout;
  }
  if (Number(pid) === process.pid) return heldLocks.has(join(folder, lockName));
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return fileErrorCode(error) === 'EPERM';
  }
};

/** The paths of the locks that this process holds, with their content. */
const heldLocks = new Map<string, string>();

// A process that ends by `process.exit` removes its locks. A killed process leaves its locks behind, and later runs
// recognise stale locks.
process.on('exit', () => {
  for (const path of heldLocks.keys()) rmSync(path, { force: true });
});

/** Writes a lock. Returns `false` if a lock already exists. */
const claim = async (path: string, line: string): Promise<boolean> => {
  try {
    await writeFile(path, line, { flag: 'wx' });
    return true;
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') return false;
    // If the disk is full, the file may have been created without its content.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
};

/**
 * Removes a stale lock. If several processes try to remove the same lock, only one process succeeds. If another process
 * has replaced the stale lock meanwhile, the new lock is put back.
 */
const takeAway = async (path: string, staleLine: string): Promise<void> => {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) === staleLine) await rm(aside, { force: true });
  else await rename(aside, path);
};

const inUse = (folder: string, line: string): FolderInUse => {
  const [pid = '', host = ''] = line.split(' ');
  const owner = host === '' ? '' : ` (process ${pid} on ${host})`;
  return new FolderInUse(
    `another run${owner} writes to ${folder}: wait for its end, or give another folder with --out FOLDER`,
  );
};

/**
 * Reserves a folder for one run, so two runs do not mix their files. The returned function releases the folder. Throws
 * `FolderInUse` if another run has reserved the folder, and Node's own error if an operation on a file fails.
 */
const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  const path = join(folder, lockName);
  const ownLine = `${process.pid} ${hostname()} ${randomUUID()}\n`;
  if (!(await claim(path, ownLine))) {
    const line = await readFile(path, 'utf8').catch(() => '');
    if (await mayBeAlive(folder, line)) throw inUse(folder, line);
    await takeAway(path, line);
    if (!(await claim(path, ownLine))) throw inUse(folder, '');
  }
  heldLocks.set(path, ownLine);
  return async () => {
    if (!heldLocks.delete(path)) return;
    const line = await readFile(path, 'utf8').catch(() => '');
    // If the lock cannot be removed now, it becomes stale when this process ends.
    if (line === ownLine) await rm(path, { force: true }).catch(() => undefined);
  };
};

/**
 * A folder for the files of one run. The folder is opened before the load starts, so a full disk or a wrong path is
 * noticed early.
 */
export interface RunFolder {
  readonly path: string;
  readonly existingNames: ReadonlySet<string>;
  /** Writes a file completely or not at all, by renaming a temporary file. Returns the path of the file. */
  write(name: string, text: string): Promise<string>;
  release(): Promise<void>;
  /** Releases the folder, and removes the empty folders among the folders that this run created. */
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

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
};

export const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Creates one folder. Returns `false` if the folder already exists, so that a run later removes only folders that the
 * run has created.
 */
const createOneFolder = async (path: string): Promise<boolean> => {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
    return false;
  }
};

/**
 * Creates a folder and its missing parents one by one, and calls `onCreated` with each created folder. Node's recursive
 * `mkdir` is not used, since it never returns on a file system that answers every call with ENOENT, such as /proc.
 */
const createFolder = async (path: string, onCreated: (path: string) => void): Promise<void> => {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await createFolder(parent, onCreated);
  if (await createOneFolder(path)) onCreated(path);
};

/**
 * Opens a folder for one run. Throws a `Problem` if the folder is not writable, if another run in progress uses the
 * folder, or if `mustBeNew` is true and the folder exists.
 */
export const openRunFolder = async (path: string, mustBeNew = false): Promise<RunFolder> => {
  const whole = resolve(path);
  const created: string[] = [];
  let release = (): Promise<void> => Promise.resolve();
  const discard = async (): Promise<void> => {
    await release();
    // Only empty folders are removed, since a folder that is not empty may contain files of another run.
    for (const folder of created.toReversed()) await rmdir(folder).catch(() => undefined);
  };
  let existingNames: readonly string[] = [];
  try {
    const noteCreated = (folder: string): void => {
      created.push(folder);
    };
    await createFolder(mustBeNew ? dirname(whole) : whole, noteCreated);
    if (mustBeNew) {
      if (!(await createOneFolder(whole)))
        throw new FolderInUse(`there is a folder ${path} already`);
      noteCreated(whole);
    }
    existingNames = await readdir(path);
    release = await lockFolder(path);
  } catch (error) {
    await discard();
    if (error instanceof Problem) throw error;
    throw new UnwritableOutput(
      `the output folder ${path} cannot be written: ${reasons[fileErrorCode(error) ?? ''] ?? (error as Error).message}. Give another with --out FOLDER`,
    );
  }
  return {
    path,
    existingNames: new Set(existingNames),
    write: async (name, text) => {
      const target = join(path, name);
      await writeWhole(target, text);
      return target;
    },
    release,
    discard,
  };
};

/**
 * The maximum number of folders whose names differ only in the number at the end. The names contain the start of the
 * run in seconds, and fewer runs than this maximum can start within one second.
 */
const maxNamesakes = 1000;

/** Opens a new folder: `path`, or `path-2`, `path-3` and so on if `path` exists. */
export const openNewRunFolder = async (path: string): Promise<RunFolder> => {
  for (let n = 1; n <= maxNamesakes; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    const folder = await openRunFolder(candidate, true).catch((error: unknown) => {
      if (error instanceof FolderInUse) return null;
      throw error;
    });
    if (folder !== null) return folder;
  }
  throw new UnwritableOutput(
    `${maxNamesakes} folders are named like ${path}: give another with --out FOLDER`,
  );
};
