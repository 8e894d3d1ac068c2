import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../../model/result/result.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { readCheckpoint } from '../../record/read-checkpoint.ts';
import { readResult } from './read-result.ts';

/** What a run under way keeps beside its reports. */
export const checkpointFileName = 'checkpoint.jsonl';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** In a folder a checkpoint is the younger file: a run that ends well removes it. */
const fileOf = async (path: string): Promise<string> => {
  if (!(await isFolder(path))) return path;
  const checkpoint = join(path, checkpointFileName);
  return (await pathExists(checkpoint)) ? checkpoint : join(path, 'result.json');
};

/** A result file or the checkpoint of a killed run, or whichever is in a folder; throws a `Problem` when it is neither. */
export const readStoredResult = async (
  path: string,
): Promise<{ readonly file: string; readonly result: Result }> => {
  const file = await fileOf(path);
  if (!file.endsWith('.jsonl')) return { file, result: await readResult(file) };
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Problem(`the checkpoint ${file} cannot be read: ${code ?? message}`);
  });
  const read = readCheckpoint(text.trimEnd().split('\n'));
  if (read.ok) return { file, result: read.result };
  throw new Problem(`${file} ${read.message}`);
};
