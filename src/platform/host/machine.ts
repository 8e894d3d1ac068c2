import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { SliceRun } from '../../model/result/result.ts';

// Read at the start: during a run this process may be bound to some cores.
const cores = os.availableParallelism();

/** The machine that runs this process, as results name it. */
export const thisMachine = (): SliceRun['machine'] => ({
  node: process.version,
  platform: `${process.platform} ${process.arch} ${os.release()}`,
  cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
  cores,
});

// Read at the start: later there may be no file descriptor left.
const packageText = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageText) as { readonly version: string };

/** This Weir's version, from its own package description. */
export const weirVersion = (): string => version;

export const hostName = (): string => os.hostname();

/** A name that nobody else has. */
export const uniqueName = (): string => crypto.randomUUID();
