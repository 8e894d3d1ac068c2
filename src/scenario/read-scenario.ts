import type { Plan } from '../model/plan/plan.ts';
import type { WorkloadFiles } from '../model/workload/workload.ts';
import { compilePlan } from './compile/compile.ts';
import { headerRuleFindings, keyRuleFindings } from './rules/credential-rules.ts';
import { contentRule } from './rules/content-rules.ts';
import { expectRule } from './rules/expect-rules.ts';
import { loadRule } from './rules/load-rules.ts';
import { objectiveRule } from './rules/objective-rules.ts';
import { populationRule } from './rules/population-rules.ts';
import { paceRule } from './rules/pace-rules.ts';
import { type Rule, needsAddress } from './rules/placed-stages.ts';
import { type ReferencedFile, referencedFileUses } from './rules/referenced-files.ts';
import { saturateRule } from './rules/saturate-rules.ts';
import { scenarioRule } from './rules/scenario-rules.ts';
import { untilRule } from './rules/until-rules.ts';
import { priceRule } from './rules/price-rules.ts';
import { targetRule } from './rules/target-rules.ts';
import { trafficRule } from './rules/traffic-rules.ts';
import { type Environment, fillEnvironment } from './text/environment-template.ts';
import { applyOverrides, bothLimits, overrideFlag } from './text/overrides.ts';
import { parseScenario } from './text/parse-scenario.ts';
import {
  applyPoint,
  type PointSetting,
  readVariablesOf,
  type ReadVariables,
} from './text/variation.ts';
import {
  placeOf,
  problemOf,
  type ScenarioFinding,
  type ScenarioProblem,
  sortedProblems,
} from './text/scenario-problem.ts';
import {
  isMapping,
  pathKey,
  type ScenarioTree,
  valueAtPath,
  withFlagValue,
} from './text/scenario-tree.ts';
import { shownValue } from './text/schema-findings.ts';
import { type ParsedTree, parseScenarioText } from './text/yaml-document.ts';

export interface ScenarioSource {
  /** The text of the file, YAML or JSON. A scenario from a module or from flags is given as a tree. */
  readonly text: string | ScenarioTree;
  /** The file's name, which becomes the plan's name if the scenario has none. */
  readonly name: string;
  readonly environment: Environment;
  /**
   * Whether other machines fill in keys and headers. If so, this machine does not need the environment variables in
   * keys and headers.
   */
  readonly secretsAreElsewhere?: boolean | undefined;
  /**
   * Whether only declared limits are used, and no pace. Otherwise, a scenario without limits has the default limits of
   * the interface.
   */
  readonly needsDeclaredLimits?: boolean | undefined;
  /** The overrides in the order in which they are applied, each as `path=value`. */
  readonly overrides?: readonly string[] | undefined;
  /** The values of the variables at one point of a sweep, which are set after the overrides. */
  readonly point?: readonly PointSetting[] | undefined;
  /** The value of `--target`: an address, `mock` or `container`. */
  readonly target?: string | undefined;
  /**
   * The files of prompts and traces that the scenario names. If absent, a scenario that names such a file has a
   * problem.
   */
  readonly workload?: WorkloadFiles;
  /** The value of `--transport`: `undici` or `socket`. */
  readonly transport?: string | undefined;
  /** The value of `--workers`: a number or `auto`. */
  readonly workers?: string | undefined;
}

const notAvailable = (file: string) =>
  ({ ok: false, problem: `${file} cannot be read here` }) as const;
const noFiles: WorkloadFiles = {
  media: notAvailable,
  text: notAvailable,
  prices: notAvailable,
  findings: notAvailable,
  dataset: notAvailable,
  tokenizer: notAvailable,
  trace: ({ file }) => notAvailable(file),
};

/**
 * A plan, or the problems of a scenario. `files` lists the files that the scenario names and that other code must read.
 */
export type ScenarioReading = { readonly files: readonly ReferencedFile[] } & (
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problems: readonly ScenarioProblem[] }
);

const emptyScenario: ScenarioFinding = {
  path: [],
  part: 'value',
  message: 'the scenario is empty: expected at least "traffic" and "load"',
  hint: 'start with a copy of scenarios/quickstart.yaml',
};

const notAMapping = (value: unknown): ScenarioFinding => ({
  path: [],
  part: 'value',
  message: `expected a mapping with "traffic" and "load", got ${shownValue(value)}`,
  hint: null,
});

const nameFrom = (file: string): string =>
  file.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'scenario';

const rules: readonly Rule[] = [
  scenarioRule,
  populationRule,
  targetRule,
  loadRule,
  paceRule,
  saturateRule,
  trafficRule,
  contentRule,
  expectRule,
  priceRule,
  objectiveRule,
  untilRule,
];

/** Removes the problem of a missing key if the scenario has this key in a wrong spelling. */
const withoutMisspelt = (
  findings: readonly ScenarioFinding[],
  value: unknown,
): readonly ScenarioFinding[] => {
  const meant = new Set(
    findings.flatMap((finding) => (finding.meant === undefined ? [] : pathKey(finding.meant))),
  );
  return findings.filter(
    ({ path }) => !meant.has(pathKey(path)) || valueAtPath(value, path) !== undefined,
  );
};

const planOfTree = (
  tree: ScenarioTree,
  { name, environment, secretsAreElsewhere = false, workload = noFiles }: ScenarioSource,
): ScenarioReading => {
  const fail = (
    findings: readonly ScenarioFinding[],
    files: readonly ReferencedFile[] = [],
  ): ScenarioReading => ({
    ok: false,
    problems: findings.map((finding) => problemOf(tree, finding)),
    files,
  });
  if (tree.value === null) return fail([emptyScenario]);
  if (!isMapping(tree.value)) return fail([notAMapping(tree.value)]);
  const filled = fillEnvironment(tree, environment);
  const { scenario, findings: schemaFindings } = parseScenario(filled);
  const load = scenario.at('load');
  // A load from a flag contradicts stages in the file. In this case, the other problems of the load are not reported.
  const isStrayLoad = load.isFromFlag && scenario.at('stages').isPresent;
  // Only a real gateway needs keys, since the reference gateway has its own test keys.
  const needsKeys = needsAddress(scenario);
  const secretsHere = secretsAreElsewhere ? null : environment;
  const priorityFindings = [
    ...filled.findings,
    ...keyRuleFindings(scenario, needsKeys ? secretsHere : null),
    ...headerRuleFindings(scenario, secretsHere),
  ];
  const explained = new Set(priorityFindings.map(({ path }) => pathKey(path)));
  const all = [
    ...priorityFindings,
    ...schemaFindings.filter(
      ({ path }) => !explained.has(pathKey(path)) && !(isStrayLoad && path[0] === 'load'),
    ),
    ...rules.flatMap((rule) => [...rule(scenario, workload)]),
  ];
  const findings = withoutMisspelt(all, tree.value);
  const files = Array.from(referencedFileUses(scenario, needsKeys), ({ use, path }) => ({
    use,
    place: placeOf(tree, path, 'value'),
  }));
  return findings.length === 0 && scenario.validValue !== undefined
    ? { ok: true, plan: compilePlan(scenario.validValue, nameFrom(name), workload), files }
    : fail(findings, files);
};

const limitKeys = [...Object.keys(bothLimits), 'class'];

/** Writes `none` for the limits that a scenario leaves out, and removes the pace. */
const withoutAssumedLimits = (tree: ScenarioTree): ScenarioTree => {
  if (!isMapping(tree.value)) return tree;
  const { pace: _, ...value } = tree.value;
  const { limits = {} } = value;
  // Limits with unknown names stay unchanged, since the message about an unknown name lists the missing names.
  const isSound = isMapping(limits) && Object.keys(limits).every((key) => limitKeys.includes(key));
  return isSound
    ? { ...tree, value: { ...value, limits: { ...bothLimits, ...limits } } }
    : { ...tree, value };
};

const wholeNumber = /^\d+$/;

/** Reads a scenario: applies the flags, and makes the plan. */
const readWithFlags = (opened: ParsedTree, source: ScenarioSource): ScenarioReading => {
  if (opened.tree === null) return { ok: false, problems: opened.problems, files: [] };
  const { overrides = [], point = [], target, transport } = source;
  const workers = wholeNumber.test(source.workers ?? '') ? Number(source.workers) : source.workers;
  const changed = applyOverrides(opened.tree, overrides);
  const varied = applyPoint(changed.tree, point);
  let tree = varied.tree;
  for (const [name, value] of Object.entries({ target, transport, workers })) {
    if (value !== undefined && isMapping(tree.value))
      tree = withFlagValue(tree, [name], value, `--${name}`);
  }
  if (source.needsDeclaredLimits === true) tree = withoutAssumedLimits(tree);
  const reading = planOfTree(tree, source);
  const problems = [
    ...opened.problems,
    ...changed.problems,
    ...varied.problems,
    ...(reading.ok ? [] : reading.problems),
  ];
  return problems.length === 0 ? reading : { ok: false, problems, files: reading.files };
};

/**
 * Adds the responsible flags to each problem. A flag is responsible if the problem would not exist without the flag. To
 * find these flags, this function reads the scenario again without each flag in turn. A comparison of the values of the
 * flag and the file would not be enough: both values may be the same, or both may be wrong.
 */
const withResponsibleFlags = (
  problems: readonly ScenarioProblem[],
  opened: ParsedTree,
  source: ScenarioSource,
): readonly ScenarioProblem[] => {
  if (problems.every(({ flag }) => flag !== null)) return problems;
  const { overrides = [], point = [], target } = source;
  const without = (flag: string, change: Partial<ScenarioSource>) => {
    const reading = readWithFlags(opened, { ...source, ...change });
    return { flag, left: new Set((reading.ok ? [] : reading.problems).map(problemId)) };
  };
  const variants = overrides.map((text, index) =>
    without(overrideFlag(text), { overrides: overrides.toSpliced(index, 1) }),
  );
  for (const [index, { flag }] of point.entries()) {
    variants.push(without(flag, { point: point.toSpliced(index, 1) }));
  }
  if (target !== undefined) variants.push(without('--target', { target: undefined }));
  return problems.map((problem) => {
    const to = variants.filter(({ left }) => !left.has(problemId(problem))).map(({ flag }) => flag);
    return problem.flag === null && to.length > 0
      ? { ...problem, flag: to.join(' and ') }
      : problem;
  });
};

const problemId = (problem: ScenarioProblem): string => JSON.stringify(problem);

const openText = (text: string | ScenarioTree): ParsedTree =>
  typeof text === 'string' ? parseScenarioText(text) : { tree: text, problems: [] };

/**
 * Reads the variables of a sweep: the variables under `vary` in the scenario, and the variables in `flags`. Each flag
 * is written as `PATH=VALUES`.
 */
export const readVariables = (source: ScenarioSource, flags: readonly string[]): ReadVariables => {
  const { tree, problems } = openText(source.text);
  return tree === null
    ? { variables: [], problems }
    : readVariablesOf(applyOverrides(tree, source.overrides ?? []).tree, flags);
};

/** Returns the plan of a scenario, or all problems of the scenario in the order of the text. */
export const readScenario = (source: ScenarioSource): ScenarioReading => {
  const opened = openText(source.text);
  const reading = readWithFlags(opened, source);
  return reading.ok
    ? reading
    : {
        ...reading,
        problems: sortedProblems(withResponsibleFlags(reading.problems, opened, source)),
      };
};
