import { dirname, extname, join, parse } from 'node:path';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Workload } from '../../model/workload/workload.ts';
import { fileErrorCode, namesInFolder } from '../../platform/files/plain-files.ts';
import { fileBounds, readTextFile } from '../../platform/files/whole-file.ts';
import { whyUnreadable } from '../../platform/files/file-error-reasons.ts';
import { type Problem, UnusableScenario } from '../../platform/problem.ts';
import { importScenario, isModule } from '../../platform/files/scenario-module.ts';
import type { ScenarioFlags } from '../../scenario/text/scenario-flags.ts';
import {
  problemsText,
  type ScenarioProblem,
  sortedProblems,
} from '../../scenario/text/scenario-problem.ts';
import { readScenario, readVariables } from '../../scenario/read-scenario.ts';
import type { PointSetting, Variable } from '../../scenario/text/variation.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { nearest } from '../../scenario/text/spelling.ts';
import type { ScenarioTree } from '../../scenario/text/scenario-tree.ts';
import { filesOutside, readNamedFiles } from './named-files.ts';
import { workloadFiles } from './workload-files.ts';

/**
 * The source of a plan: a file, a value passed to the library, or flags alone. `set` can change fields of any of these.
 */
export interface PlanSource {
  readonly scenario: string | undefined;
  /** The content of the scenario file if it was read before, since a pipe can be read only once. */
  readonly text?: string | ScenarioTree | undefined;
  /** A scenario as an object, as a scenario module exports it. */
  readonly value?: object | undefined;
  readonly flags: ScenarioFlags;
  readonly set: readonly string[];
  /** The values of the variables at one point of a sweep. */
  readonly point?: readonly PointSetting[] | undefined;
  readonly target: string | undefined;
  readonly transport?: string | undefined;
  readonly workers?: string | undefined;
  /** Whether a scenario file may name files outside its folder. */
  readonly allowFiles?: boolean | undefined;
  /**
   * Whether only limits that the scenario declares are used. Otherwise, a scenario without such limits gets the limits
   * of the interface.
   */
  readonly needsDeclaredLimits?: boolean | undefined;
  /**
   * Whether only the workers have the keys, headers and certificates. If so, this machine does not read these secrets.
   */
  readonly secretsAreElsewhere?: boolean | undefined;
}

/** The scenario for verbs that send no load. These verbs use this scenario if the user names no file. */
export const placeholderScenario = { kind: 'models', rate: '1/s', duration: '1s' } as const;

const isScenario = (file: string): boolean => isModule(file) || /\.(ya?ml|json)$/.test(file);

/**
 * Returns the path of the scenario with the most similar name in the folder of `path`; `null` if no name is similar.
 */
const similarScenario = async (path: string): Promise<string | null> => {
  const folder = dirname(path);
  const all = await namesInFolder(folder).catch((): string[] => []);
  const scenarios = all.filter(isScenario).map((file) => parse(file));
  // Names are compared without extensions, since nearly all scenarios have the same extension.
  const names = scenarios.map(({ name }) => name);
  const near = nearest(parse(path).name, names);
  const file = scenarios.find(({ name }) => name === near)?.base;
  return file === undefined ? null : join(folder, file);
};

const readScenarioFile = async (path: string): Promise<string> => {
  try {
    return await readTextFile(path, fileBounds.scenario);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === 'ENOENT') {
      if (/^https?:\/\//i.test(path))
        throw new UnusableScenario(
          `${path} is an address, and a scenario file was expected: write --target ${path}`,
        );
      const near = await similarScenario(path);
      throw new UnusableScenario(
        `the scenario file ${path} does not exist: ${near === null ? '' : `did you mean ${near}? If not, `}give the path of a YAML, JSON, TypeScript or JavaScript file`,
      );
    }
    if (code === 'EISDIR')
      throw new UnusableScenario(`${path} is a folder: give the path of a scenario file`);
    throw new UnusableScenario(`the scenario file ${path} cannot be read: ${whyUnreadable(error)}`);
  }
};

/** The address of the module that scenario files import as `weir-bench`. The package exports this module, too. */
const library = new URL(`../../library/library${extname(import.meta.filename)}`, import.meta.url);

const nameOf = ({ scenario, value }: PlanSource): string =>
  scenario ?? (value === undefined ? 'command line' : 'scenario');

const treeOf = async (value: unknown, source: PlanSource): Promise<ScenarioTree> => {
  const { parseModule } = await import('../../scenario/text/module-tree.ts');
  const { tree, problems } = parseModule(value);
  if (tree === null) throw new UnusableScenario(problemsText(problems, nameOf(source)));
  return tree;
};

const openScenario = async (source: PlanSource): Promise<string | ScenarioTree> => {
  const { scenario, text: known, value, flags } = source;
  if (known !== undefined) return known;
  if (value !== undefined) return treeOf(value, source);
  if (scenario === undefined)
    return (await import('../../scenario/text/scenario-flags.ts')).scenarioFromFlags(flags);
  const text = await readScenarioFile(scenario);
  return isModule(scenario) ? treeOf(await importScenario(scenario, library), source) : text;
};

const read = async (source: PlanSource, environment: Environment) => {
  const { scenario, set: overrides, allowFiles = false, ...others } = source;
  const { text: _, value: __, flags: ___, ...options } = others;
  const folder = scenario === undefined ? '.' : dirname(scenario);
  // Without a scenario file, the user wrote the whole scenario on the command line, so the scenario is trusted.
  const isTrusted = scenario === undefined || allowFiles;
  const fileCache = workloadFiles(folder, isTrusted);
  const text = await openScenario(source);
  const name = nameOf(source);
  const workload = fileCache.files;
  const found = readScenario({ text, name, environment, overrides, workload, ...options });
  const files = found.files.filter(
    ({ use }) => options.secretsAreElsewhere !== true || use.kind === 'clip',
  );
  const reading = { ...found, files };
  const problems = [
    ...(reading.ok ? [] : reading.problems),
    ...(isTrusted ? [] : filesOutside(reading.files, folder)),
  ];
  return { text, reading, problems, folder, isTrusted, fileCache };
};

const allOf = (problems: readonly ScenarioProblem[], source: PlanSource): Problem =>
  new UnusableScenario(problemsText(sortedProblems(problems), nameOf(source)));

/**
 * Reads the variables of a sweep from a scenario and from `flags`, each written as `PATH=VALUES`. Throws a `Problem`
 * for a variable that cannot be read.
 */
export const readSweepVariables = async (
  source: PlanSource,
  flags: readonly string[],
  environment: Environment,
): Promise<readonly Variable[]> => {
  const text = await openScenario(source);
  const opened = { text, name: nameOf(source), environment, overrides: source.set };
  const { variables, problems } = readVariables(opened, flags);
  if (problems.length > 0) throw allOf(problems, source);
  return variables;
};

/** A plan, the folder to which its paths are relative, and the environment that contains its secrets. */
export interface ReadPlan {
  readonly plan: Plan;
  /** The plan's paths are relative to this folder. */
  readonly folder: string;
  readonly environment: Environment;
  /**
   * The content of the scenario, so that the scenario can be read again with other options; absent in a plan with
   * files.
   */
  readonly text?: string | ScenarioTree;
}

export interface ReadPlanWithFiles extends ReadPlan {
  readonly clips: ClipLibrary;
  readonly workload: Workload;
}

/**
 * Reads a scenario and its files of prompts and traces, which the plan describes. Throws a `Problem` that lists all
 * errors in the scenario and these files.
 */
export const readPlan = async (source: PlanSource, environment: Environment): Promise<ReadPlan> => {
  const { text, reading, problems, folder } = await read(source, environment);
  if (!reading.ok || problems.length > 0) throw allOf(problems, source);
  return { plan: reading.plan, folder, environment, text };
};

/** Reads a scenario and all its files. Throws a `Problem` that lists all errors in the scenario and its files. */
export const readPlanWithFiles = async (
  source: PlanSource,
  environment: Environment,
): Promise<ReadPlanWithFiles> => {
  const { reading, problems, folder, isTrusted, fileCache } = await read(source, environment);
  const named = await readNamedFiles(reading.files, folder, isTrusted);
  const all = [...problems, ...named.problems];
  if (!reading.ok || all.length > 0) throw allOf(all, source);
  const { clips } = named;
  const { plan } = reading;
  return { plan, folder, environment, clips, workload: fileCache.open(plan) };
};
