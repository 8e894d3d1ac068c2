import { basename, dirname, join } from 'node:path';
import { pathExists } from '../../platform/files/run-folder.ts';
import { outputFiles } from './output-folder.ts';
import { checkpointFileName } from '../input/report-paths.ts';

const findings: readonly string[] = [outputFiles.limits.data, outputFiles.tokens.data];
const runs: readonly string[] = [outputFiles.run.data, checkpointFileName];

const hasAny = async (folder: string, names: readonly string[]): Promise<boolean> =>
  (await Promise.all(names.map((name) => pathExists(join(folder, name))))).includes(true);

/**
 * Returns the folder with findings of `weir limits`. The path may name this folder or a file with findings in it.
 * Returns `null` for any other path.
 */
export const findingsFolderOf = async (path: string): Promise<string | null> => {
  if (findings.includes(basename(path))) return dirname(path);
  return (await hasAny(path, findings)) && !(await hasAny(path, runs)) ? path : null;
};
