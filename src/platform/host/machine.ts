import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { SliceRun } from '../../model/result/result.ts';

/** The machine that runs this process, as results name it. */
export const thisMachine = (): SliceRun['machine'] => ({
  node: process.version,
  platform: `${process.platform} ${process.arch} ${os.release()}`,
  cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
  cores: os.availableParallelism(),
});

/** This Weir's version, from its own package description. */
export const weirVersion = (): string => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};
