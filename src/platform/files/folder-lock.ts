import { rmSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problem.ts';
import { fileErrorCode } from './plain-files.ts';

/** Another run in progress writes to the same folder. */
export class FolderInUse extends Problem {}

const lockName = '.weir-lock';

/** A lock that nobody on this machine can be asked about counts for this long after the last sign of life, in ms. */
const signOfLifeTimeout = 60_000;
/** A lock is written within this time, in ms. */
const writingTime = 2000;

/** The ms since a file was changed; infinite without one. */
const ageOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/**
 * Whether the run that wrote a lock may still run. A process of this machine is asked; a run on another machine, or
 * in a container, adds to its checkpoint every few seconds.
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
    // EPERM: it runs under another user.
    return fileErrorCode(error) === 'EPERM';
  }
};

/** The locks of this process, with what they contain. */
const heldLocks = new Map<string, string>();

// A process that ends by `process.exit` leaves no lock; one that is killed leaves one that is recognised as stale.
process.on('exit', () => {
  for (const path of heldLocks.keys()) rmSync(path, { force: true });
});

/** Writes a lock; `false` if there is one. */
const claim = async (path: string, line: string): Promise<boolean> => {
  try {
    await writeFile(path, line, { flag: 'wx' });
    return true;
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') return false;
    // A full disk takes the file and not its content.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
};

/** Takes a stale lock away; only one of several processes succeeds, and never with a lock that was renewed meanwhile. */
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
 * Claims a folder for one run, so that two runs do not mix their files; the returned function gives it
 * back. Throws `FolderInUse` if another process, or another run of this one, holds it; other errors are
 * Node's own.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
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
    // A lock that cannot be removed is stale as soon as this process has ended.
    if (line === ownLine) await rm(path, { force: true }).catch(() => undefined);
  };
};
