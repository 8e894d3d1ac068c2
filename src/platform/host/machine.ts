import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { SliceRun } from '../../model/result/result.ts';

// The number of cores is read at the start, since a run may later bind this process to fewer cores.
const cores = os.availableParallelism();

export const thisMachine = (): SliceRun['machine'] => ({
  node: process.version,
  platform: `${process.platform} ${process.arch} ${os.release()}`,
  cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
  cores,
});

// The file is read at the start, since later there may be no file descriptor left.
const packageText = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageText) as { readonly version: string };

export const weirVersion = (): string => version;

export const hostName = (): string => os.hostname();

/** Returns a name that no other call of this function returns. */
export const uniqueName = (): string => crypto.randomUUID();
