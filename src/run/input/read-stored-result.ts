import { join } from 'node:path';
import type { Result } from '../../model/result/result.ts';
import { fileErrorCode, isExistingFolder, readTextFile } from '../../platform/files/plain-files.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { readCheckpoint } from '../../record/read-checkpoint.ts';
import { readResultFile } from './read-result.ts';

/** The file that a run keeps in its folder until its reports are written. */
export const checkpointFileName = 'checkpoint.jsonl';

/** The checkpoint is the newer file in a folder: a run that ends normally removes it. */
const fileOf = async (path: string): Promise<string> => {
  if (!(await isExistingFolder(path))) return path;
  const checkpoint = join(path, checkpointFileName);
  return (await pathExists(checkpoint)) ? checkpoint : join(path, 'result.json');
};

/** Reads a result file, the checkpoint of a killed run, or whichever of them is in a folder; throws a `Problem` if there is neither. */
export const readStoredResult = async (
  path: string,
): Promise<{ readonly file: string; readonly result: Result }> => {
  const file = await fileOf(path);
  if (!file.endsWith('.jsonl')) return { file, result: await readResultFile(file) };
  const text = await readTextFile(file).catch((error: unknown) => {
    const reason = fileErrorCode(error) ?? (error as Error).message;
    throw new Problem(`the checkpoint ${file} cannot be read: ${reason}`);
  });
  const read = readCheckpoint(text.trimEnd().split('\n'));
  if (read.ok) return { file, result: read.result };
  throw new Problem(`${file} ${read.message}`);
};
