import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Repetition, Side } from '../judge/compare/repetition.ts';
import { judgeTrust } from '../judge/trust.ts';
import { Problem } from '../platform/problem.ts';
import { readResult } from './read-result.ts';

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};

/** `2` before `10`. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/** The results in a folder: its own, or those of the folders in it, as `weir run --repeat` leaves them. */
const resultsIn = async (folder: string): Promise<readonly string[]> => {
  const own = join(folder, 'result.json');
  if (await isThere(own)) return [own];
  const names = (await readdir(folder)).toSorted(byNumber);
  const files = names.map((name) => join(folder, name, 'result.json'));
  const there = await Promise.all(files.map(isThere));
  return files.filter((_, i) => there[i]);
};

const filesAt = async (path: string): Promise<readonly string[]> => {
  if (!(await isThere(path))) {
    throw new Problem(
      `${path} does not exist: give a result.json, the folder of a run, or that of a run with --repeat`,
    );
  }
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? await resultsIn(path) : [path];
  if (files.length > 0) return files;
  throw new Problem(
    `${path} holds no result.json, and none of its folders does: give the folder of a run, or that of a run with --repeat`,
  );
};

/** One repetition, judged. */
const readRepetition = async (file: string): Promise<Repetition> => {
  const result = await readResult(file);
  return { file, result, trust: judgeTrust(result) };
};

/** The runs at some paths, each a result file, a run's folder, or a folder of such; throws a `Problem` when there are none. */
export const readSide = async (paths: readonly string[]): Promise<Side> => {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const [first, ...others] = await Promise.all(files.map(readRepetition));
  if (first === undefined) throw new Problem('expected at least one result to compare; got none');
  return { name: paths.join(', '), repetitions: [first, ...others] };
};

/** A run is evidence once; throws a `Problem` that names one given twice. */
export const checkDistinct = (...sides: readonly Side[]): void => {
  const files = sides.flatMap(({ repetitions }) => repetitions.map(({ file }) => resolve(file)));
  const twice = files.find((file, i) => files.indexOf(file) < i);
  if (twice !== undefined) {
    throw new Problem(`${twice} is given twice: a run counts once, on one side`);
  }
};
