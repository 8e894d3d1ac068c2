import { readFile, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problem.ts';

/** Another run in progress writes to the same folder. */
export class FolderInUse extends Problem {}

const lockName = '.weir-lock';

/** The owner of a lock: the process and its machine, since a folder may be shared. */
const ownLine = (): string => `${process.pid} ${hostname()}\n`;

/** Whether the process that wrote a lock may still run; of another machine, or of a lock that is being written, that is unknown. */
const mayBeAlive = (line: string): boolean => {
  const [, pid, host] = /^(\d{1,9}) (.+)\n$/.exec(line) ?? [];
  if (pid === undefined || host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const heldLocks = new Set<string>();

// A process that ends by `process.exit` leaves no lock; one that is killed leaves one that is recognised as stale.
process.on('exit', () => {
  for (const path of heldLocks) rmSync(path, { force: true });
});

/**
 * Claims a folder for one run, so that two runs do not mix their files; the returned function gives it
 * back. Throws `FolderInUse` if another process, or another run of this one, holds it; other errors are
 * Node's own.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  const path = join(folder, lockName);
  const claim = (): Promise<void> => writeFile(path, ownLine(), { flag: 'wx' });
  await claim().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const line = await readFile(path, 'utf8').catch(() => '');
    const isOwnRemnant = line === ownLine() && !heldLocks.has(path);
    if (!isOwnRemnant && mayBeAlive(line)) {
      const owner = line === '' ? '' : ` (process ${line.trim().replace(' ', ' on ')})`;
      throw new FolderInUse(
        `another run${owner} writes to ${folder}: wait for its end, or give another folder with --out FOLDER. If that process is gone, remove ${path}`,
      );
    }
    await rm(path, { force: true });
    await claim().catch((again: unknown) => {
      if ((again as NodeJS.ErrnoException).code !== 'EEXIST') throw again;
      throw new FolderInUse(
        `another run has just begun to write to ${folder}: give another folder with --out FOLDER`,
      );
    });
  });
  heldLocks.add(path);
  return async () => {
    if (!heldLocks.delete(path)) return;
    // A lock that cannot be removed is stale as soon as this process has ended.
    await rm(path, { force: true }).catch(() => undefined);
  };
};
