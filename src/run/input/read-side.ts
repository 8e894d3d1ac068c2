import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Repetition, Side } from '../../judge/compare/repetition.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { runsOfBaseline } from './baseline-runs.ts';
import { readResult } from './read-result.ts';

/** `2` before `10`. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/** The results in a folder: its own, or those of the folders in it, as `weir run --repeat` leaves them. */
const resultsIn = async (folder: string): Promise<readonly string[]> => {
  const own = join(folder, 'result.json');
  if (await pathExists(own)) return [own];
  const names = (await readdir(folder)).toSorted(byNumber);
  const files = names.map((name) => join(folder, name, 'result.json'));
  const exists = await Promise.all(files.map(pathExists));
  return files.filter((_, i) => exists[i]);
};

const filesAt = async (path: string): Promise<readonly string[]> => {
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

/** A run that the history knows; throws a `Problem` where its file has gone or holds another run by now. */
const readStored = async (name: string, run: StoredRun): Promise<Repetition> => {
  const remedy = `name other runs with \`weir history baseline ${name} RUN…\``;
  if (!(await pathExists(run.file))) {
    throw new Problem(
      `run ${run.id} of the baseline ${name} is gone: expected ${run.file}; ${remedy}`,
    );
  }
  const repetition = await readRepetition(run.file);
  const { startedAt, planHash } = repetition.result;
  if (startedAt === run.startedAt && planHash === run.planHash) return repetition;
  throw new Problem(
    `run ${run.id} of the baseline ${name} was overwritten: expected the run of ${run.startedAt} in ${run.file}, got that of ${startedAt}; ${remedy}`,
  );
};

/** The runs at a path, or those of the baseline with that name, of the plan with this hash. */
const readReference = async (
  reference: string,
  planHash: string | null,
): Promise<readonly Repetition[]> => {
  const named = await runsOfBaseline(reference, planHash);
  const isPath = await pathExists(reference);
  if (named !== null && isPath) {
    throw new Problem(
      `${reference} is a baseline and a path too: write ./${reference} for the path, or go elsewhere for the name`,
    );
  }
  if (named !== null) return Promise.all(named.map((run) => readStored(reference, run)));
  if (isPath) return Promise.all((await filesAt(reference)).map(readRepetition));
  throw new Problem(
    `${reference} does not exist: give a result.json, the folder of a run, that of a run with --repeat, or the name of a baseline (\`weir history baseline\` lists them)`,
  );
};

/**
 * The runs that some words name, each a result file, a run's folder, a folder of such, or a baseline,
 * of which the runs of the plan with this hash are meant (`null`: of its only plan). Throws a
 * `Problem` when there are none.
 */
export const readSide = async (
  references: readonly string[],
  planHash: string | null,
): Promise<Side> => {
  const found = await Promise.all(
    references.map((reference) => readReference(reference, planHash)),
  );
  const [first, ...others] = found.flat();
  if (first === undefined) throw new Problem('expected at least one result to compare; got none');
  return { name: references.join(', '), repetitions: [first, ...others] };
};

/** A run is evidence once; throws a `Problem` that names one given twice. */
export const checkDistinct = (...sides: readonly Side[]): void => {
  const files = sides.flatMap(({ repetitions }) => repetitions.map(({ file }) => resolve(file)));
  const repeatedFile = files.find((file, i) => files.indexOf(file) < i);
  if (repeatedFile !== undefined) {
    throw new Problem(`${repeatedFile} is given twice: a run counts once, on one side`);
  }
};
