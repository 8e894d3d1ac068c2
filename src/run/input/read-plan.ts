import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join, parse } from 'node:path';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Workload } from '../../model/workload/workload.ts';
import { Problem } from '../../platform/problem.ts';
import { importScenario, isModule } from '../../platform/files/scenario-module.ts';
import { scenarioFromFlags, type ScenarioFlags } from '../../scenario/text/scenario-flags.ts';
import { parseModule } from '../../scenario/text/module-tree.ts';
import { problemsText, sortedProblems } from '../../scenario/text/scenario-problem.ts';
import { type ScenarioReading, readScenario } from '../../scenario/read-scenario.ts';
import { nearest } from '../../scenario/text/spelling.ts';
import type { ScenarioTree } from '../../scenario/text/scenario-tree.ts';
import { readNamedFiles } from './named-files.ts';
import { type WorkloadFileCache, workloadFiles } from './workload-files.ts';

/** Where a plan comes from: a file, or flags alone; both with overrides. */
export interface PlanSource {
  readonly scenario: string | undefined;
  readonly flags: ScenarioFlags;
  readonly set: readonly string[];
  readonly target: string | undefined;
  readonly transport?: string | undefined;
  readonly workers?: string | undefined;
}

const isScenario = (file: string): boolean => isModule(file) || /\.(ya?ml|json)$/.test(file);

/** The scenario in the folder of `path` whose name is most like it; `null` where none is like it. */
const similarScenario = async (path: string): Promise<string | null> => {
  const folder = dirname(path);
  const all = await readdir(folder).catch((): string[] => []);
  const { name } = parse(path);
  const scenarios = all.filter(isScenario);
  // Endings are alike by themselves, so only the names before them are compared.
  const near = nearest(
    name,
    scenarios.map((file) => parse(file).name),
  );
  const file = scenarios.find((each) => parse(each).name === near);
  return file === undefined ? null : join(folder, file);
};

/** The whole text of a scenario file; a `Problem` says what is wrong with the path. */
const readScenarioFile = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      const near = await similarScenario(path);
      throw new Problem(
        `the scenario file ${path} does not exist: ${near === null ? '' : `did you mean ${near}? If not, `}give the path of a YAML, JSON, TypeScript or JavaScript file`,
      );
    }
    if (code === 'EISDIR')
      throw new Problem(`${path} is a folder: give the path of a scenario file`);
    throw new Problem(`the scenario file ${path} cannot be read: ${code ?? String(error)}`);
  }
};

/** What scenario files import as `weir`; the package exports the same file. */
const weirExports = new URL(
  `../../scenario/define${extname(import.meta.filename)}`,
  import.meta.url,
);

/** The text of a scenario file, or the tree of what it exports. */
const openScenario = async (path: string): Promise<string | ScenarioTree> => {
  const text = await readScenarioFile(path);
  if (!isModule(path)) return text;
  const { tree, problems } = parseModule(await importScenario(path, weirExports));
  if (tree === null) throw new Problem(problemsText(problems, path));
  return tree;
};

const nameOf = ({ scenario }: PlanSource): string => scenario ?? 'command line';

interface OpenedScenario {
  readonly reading: ScenarioReading;
  readonly folder: string;
  readonly fileCache: WorkloadFileCache;
}

const read = async (source: PlanSource): Promise<OpenedScenario> => {
  const { scenario, flags, set, target, transport, workers } = source;
  const folder = scenario === undefined ? '.' : dirname(scenario);
  const fileCache = workloadFiles(folder);
  const reading = readScenario({
    text: scenario === undefined ? scenarioFromFlags(flags) : await openScenario(scenario),
    name: nameOf(source),
    environment: process.env,
    overrides: set,
    target,
    workload: fileCache.files,
    transport,
    workers,
  });
  return { reading, folder, fileCache };
};

/** A plan, and the folder that relative paths in it start from. */
export interface ReadPlan {
  readonly plan: Plan;
  readonly folder: string;
}

/** A plan, with what its requests upload and ask. */
export interface ReadPlanWithFiles extends ReadPlan {
  readonly clips: ClipLibrary;
  readonly workload: Workload;
}

/**
 * Reads a scenario, and of the files that it names only its prompts and traces, which the plan
 * describes. Throws a `Problem` that lists everything wrong with it.
 */
export const readPlan = async (source: PlanSource): Promise<ReadPlan> => {
  const { reading, folder } = await read(source);
  if (!reading.ok) throw new Problem(problemsText(reading.problems, nameOf(source)));
  return { plan: reading.plan, folder };
};

/** Reads a scenario and the files that it names. Throws a `Problem` that lists everything wrong with either. */
export const readPlanWithFiles = async (source: PlanSource): Promise<ReadPlanWithFiles> => {
  const { reading, folder, fileCache } = await read(source);
  const { clips, problems } = await readNamedFiles(reading.files, folder);
  if (!reading.ok || problems.length > 0) {
    const all = sortedProblems([...(reading.ok ? [] : reading.problems), ...problems]);
    throw new Problem(problemsText(all, nameOf(source)));
  }
  const { plan } = reading;
  return { plan, folder, clips, workload: fileCache.open(plan) };
};
