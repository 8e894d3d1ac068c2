import { join, resolve } from 'node:path';
import type { Repetition, Side } from '../../judge/series/repetition.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { isExistingFolder, namesInFolder } from '../../platform/files/plain-files.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { isBaselineName } from './baseline-name.ts';
import { readResultFile } from './read-result.ts';

const shortened = (hash: string): string => hash.slice(0, 12);

/**
 * Returns the runs of the selected plan in a baseline. If there are no such runs, returns all runs of the baseline, if
 * they have one plan. Throws a `Problem` if they have several plans.
 */
const runsOfPlan = (
  name: string,
  runs: readonly StoredRun[],
  planHash: string | null,
): readonly StoredRun[] => {
  const runsOfThisPlan = runs.filter((run) => run.planHash === planHash);
  const plans = Map.groupBy(runs, (run) => run.planHash);
  // If all runs have one other plan, all runs are returned. The comparison then decides whether the plans may differ.
  if (runsOfThisPlan.length > 0) return runsOfThisPlan;
  if (plans.size < 2) return runs;
  const list = [...plans].map(([hash, planRuns]) => {
    const { plan, target } = planRuns.at(-1)!;
    return `  ${shortened(hash)} ${plan}, ${target}`;
  });
  throw new Problem(
    `the baseline ${name} has runs of several plans, and ${planHash === null ? 'none is selected' : `none is this one (${shortened(planHash)})`}:\n${list.join('\n')}\nName runs of this plan with \`weir history baseline ${name} RUN…\`, or give result files.`,
  );
};

/**
 * Returns the runs of a baseline; `null` if the history has no such baseline. If the baseline has runs of the plan with
 * the hash `planHash`, returns only these runs.
 */
const runsOfBaseline = async (
  name: string,
  planHash: string | null,
  history: string | null,
): Promise<readonly StoredRun[] | null> => {
  if (history === null || !isBaselineName(name)) return null;
  const runs = (await readHistory(history)).filter(({ baselines }) => baselines.includes(name));
  return runs.length === 0 ? null : runsOfPlan(name, runs, planHash);
};

/** Compares texts by the numbers in them, so that `2` comes before `10`. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/**
 * Returns the paths of the results in a folder: the result in the folder itself, or those in its subfolders, such as
 * `weir run --repeat` writes.
 */
const resultsIn = async (folder: string): Promise<readonly string[]> => {
  const own = join(folder, 'result.json');
  if (await pathExists(own)) return [own];
  const names = (await namesInFolder(folder)).toSorted(byNumber);
  const files = names.map((name) => join(folder, name, 'result.json'));
  const exists = await Promise.all(files.map(pathExists));
  return files.filter((_, i) => exists[i]);
};

const filesAt = async (path: string): Promise<readonly string[]> => {
  const files = (await isExistingFolder(path)) ? await resultsIn(path) : [path];
  if (files.length > 0) return files;
  throw new Problem(
    `${path} contains no result.json, nor do its folders: give the folder of a run, or of a run with --repeat`,
  );
};

const readRepetition = async (
  file: string,
  onStep?: (step: string) => void,
): Promise<Repetition> => {
  const result = await readResultFile(file, onStep);
  return { file, result, trust: judgeTrust(result) };
};

/**
 * Reads the file of a run that the history names. Throws a `Problem` if the file is missing or contains another run.
 */
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

interface SideOptions {
  /** The hash of the plan whose runs are read; `null` if no plan is selected. */
  readonly planHash: string | null;
  /** The path of the history with the baselines; `null` if no history is kept. */
  readonly history: string | null;
  readonly onStep?: (step: string) => void;
}

const readReference = async (
  reference: string,
  { planHash, history, onStep }: SideOptions,
): Promise<readonly Repetition[]> => {
  const named = await runsOfBaseline(reference, planHash, history);
  const isPath = await pathExists(reference);
  if (named !== null && isPath) {
    throw new Problem(
      `${reference} is both a baseline and a path: write ./${reference} for the path, or change to another folder for the baseline`,
    );
  }
  if (named !== null) return Promise.all(named.map((run) => readStored(reference, run)));
  if (isPath)
    return Promise.all((await filesAt(reference)).map((file) => readRepetition(file, onStep)));
  throw new Problem(
    `${reference} does not exist: give a result.json, the folder of a run, that of a run with --repeat, or the name of a baseline (\`weir history baseline\` lists them)`,
  );
};

/**
 * Reads the runs of one side of a comparison: result files, folders of runs, folders that contain folders of runs, or
 * baselines. Throws a `Problem` if there are no runs.
 */
export const readSide = async (
  references: readonly string[],
  options: SideOptions,
): Promise<Side> => {
  const found = await Promise.all(references.map((reference) => readReference(reference, options)));
  const [first, ...others] = found.flat();
  if (first === undefined) throw new Problem('expected at least one result to compare; got none');
  return { name: references.join(', '), repetitions: [first, ...others] };
};

/** Throws a `Problem` if a run is given twice, since the comparison would count such a run twice. */
export const checkDistinct = (...sides: readonly Side[]): void => {
  const files = sides.flatMap(({ repetitions }) => repetitions.map(({ file }) => resolve(file)));
  const repeatedFile = files.find((file, i) => files.indexOf(file) < i);
  if (repeatedFile !== undefined) {
    throw new Problem(`${repeatedFile} is listed twice: a run counts once, on one side`);
  }
};
