import type { Plan } from '../model/plan/plan.ts';
import type { WorkloadFiles } from '../model/workload/workload.ts';
import { compilePlan } from './compile/compile.ts';
import { findingsOfIssue, schemaIssueMessage, shownValue } from './text/schema-findings.ts';
import { headerRuleFindings, keyRuleFindings } from './rules/credential-rules.ts';
import { parseScenarioText } from './text/yaml-document.ts';
import { referencedFileUses, type ReferencedFile } from './rules/referenced-files.ts';
import { applyOverrides, overrideFlag } from './text/overrides.ts';
import { objectiveRuleFindings } from './rules/objective-rules.ts';
import { priceRuleFindings } from './rules/price-rules.ts';
import {
  type ScenarioFinding,
  sortedProblems,
  placeOf,
  type ScenarioProblem,
  problemOf,
} from './text/scenario-problem.ts';
import { promptRuleFindings } from './rules/prompt-rules.ts';
import { speechRuleFindings } from './rules/speech-rules.ts';
import { crossFieldFindings } from './rules/scenario-rules.ts';
import { scenarioSchema } from './schema/scenario-schema.ts';
import { withSuggestedKinds } from './text/kind-suggestions.ts';
import { coerceEnvironment } from './text/coerce-environment.ts';
import { type Environment, fillEnvironment } from './text/environment-template.ts';
import { trafficRuleFindings } from './rules/traffic-rules.ts';
import {
  withFlagValue,
  isMapping,
  pathKey,
  type ScenarioTree,
  valueAtPath,
} from './text/scenario-tree.ts';

/** A scenario to read, and what bears on its meaning. */
export interface ScenarioSource {
  /** The file's text, YAML or JSON, or the tree of a module or of flags. */
  readonly text: string | ScenarioTree;
  /** The file's name; the plan is named after it where the scenario has no name. */
  readonly name: string;
  readonly environment: Environment;
  /** `path=value` each, in order. */
  readonly overrides?: readonly string[] | undefined;
  /** What `--target` says: an address, `mock` or `container`. */
  readonly target?: string | undefined;
  /** The files of prompts and traces that it names; without, naming one is a problem. */
  readonly workload?: WorkloadFiles;
  /** What `--transport` says: `undici` or `socket`. */
  readonly transport?: string | undefined;
  /** What `--workers` says: a number or `auto`. */
  readonly workers?: string | undefined;
}

const notAvailable = (file: string) =>
  ({ ok: false, problem: `${file} is not read here` }) as const;
const noFiles: WorkloadFiles = {
  text: notAvailable,
  dataset: notAvailable,
  tokenizer: notAvailable,
  trace: ({ file }) => notAvailable(file),
};

/** A plan, or what is wrong; and in either case the files that the scenario names, which nobody has looked at. */
export type ScenarioReading = { readonly files: readonly ReferencedFile[] } & (
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problems: readonly ScenarioProblem[] }
);

const emptyScenario: ScenarioFinding = {
  path: [],
  part: 'value',
  message: 'the scenario is empty: expected at least "traffic" and "load"',
  hint: 'begin with a copy of scenarios/quickstart.yaml',
};

const notAMapping = (value: unknown): ScenarioFinding => ({
  path: [],
  part: 'value',
  message: `expected a mapping with "traffic" and "load", got ${shownValue(value)}`,
  hint: null,
});

/** Keys must be there for a real gateway only: the reference gateway has test keys of its own. */
const keyEnvironment = (scenario: unknown, environment: Environment): Environment | null => {
  const target = scenarioSchema.shape.target.safeParse(valueAtPath(scenario, ['target']));
  return target.data?.kind === 'url' ? environment : null;
};

const nameFrom = (file: string): string =>
  file.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'scenario';

const planOfTree = (
  tree: ScenarioTree,
  { name, environment, workload = noFiles }: ScenarioSource,
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
  const parse = (value: unknown) => scenarioSchema.safeParse(value, { error: schemaIssueMessage });
  const written = coerceEnvironment(
    filled.tree.value,
    parse(filled.tree.value).error?.issues ?? [],
    filled,
  );
  const { value, corrected } = withSuggestedKinds(written, parse(written).error?.issues ?? []);
  const parsed = parse(value);
  const keyVariables = keyEnvironment(value, environment);
  const priorityFindings = [
    ...filled.findings,
    ...keyRuleFindings(value, keyVariables),
    ...headerRuleFindings(value, environment),
  ];
  const explained = new Set(priorityFindings.map(({ path }) => pathKey(path)));
  const findings = [
    ...priorityFindings,
    ...[
      ...corrected.flatMap((issue) =>
        findingsOfIssue(issue, { value: written, environmentValues: filled.environmentValues }),
      ),
      ...(parsed.error?.issues ?? []).flatMap((issue) =>
        findingsOfIssue(issue, { value, environmentValues: filled.environmentValues }),
      ),
    ].filter(({ path }) => !explained.has(pathKey(path))),
    ...crossFieldFindings(value, workload),
    ...trafficRuleFindings(value),
    ...promptRuleFindings(value, workload),
    ...speechRuleFindings(value, workload),
    ...priceRuleFindings(value, filled.environmentValues),
    ...objectiveRuleFindings(value, filled.environmentValues),
  ];
  const files = referencedFileUses(value, keyVariables !== null).map(({ use, path }) => ({
    use,
    place: placeOf(tree, path, 'value'),
  }));
  return findings.length === 0 && parsed.success
    ? { ok: true, plan: compilePlan(parsed.data, nameFrom(name), workload), files }
    : fail(findings, files);
};

const wholeNumber = /^\d+$/;

const readWithFlags = (source: ScenarioSource): ScenarioReading => {
  const { text, overrides = [], target, transport } = source;
  const workers = wholeNumber.test(source.workers ?? '') ? Number(source.workers) : source.workers;
  const opened = typeof text === 'string' ? parseScenarioText(text) : { tree: text, problems: [] };
  if (opened.tree === null) return { ok: false, problems: opened.problems, files: [] };
  const changed = applyOverrides(opened.tree, overrides);
  let tree = changed.tree;
  for (const [name, value] of Object.entries({ target, transport, workers })) {
    if (value !== undefined && isMapping(tree.value))
      tree = withFlagValue(tree, [name], value, `--${name}`);
  }
  const reading = planOfTree(tree, source);
  const problems = [
    ...opened.problems,
    ...changed.problems,
    ...(reading.ok ? [] : reading.problems),
  ];
  return problems.length === 0 ? reading : { ok: false, problems, files: reading.files };
};

/** The scenario without each of the flags that change it, and the flag. */
const sourcesWithoutEachFlag = (
  source: ScenarioSource,
): readonly { readonly flag: string; readonly without: ScenarioSource }[] => {
  const { overrides = [], target } = source;
  return [
    ...overrides.map((text, index) => ({
      flag: overrideFlag(text),
      without: { ...source, overrides: overrides.toSpliced(index, 1) },
    })),
    ...(target === undefined
      ? []
      : [{ flag: '--target', without: { ...source, target: undefined } }]),
  ];
};

/** Names beside each place in the file the flags without which nothing would be wrong there. */
const withResponsibleFlags = (
  problems: readonly ScenarioProblem[],
  source: ScenarioSource,
): readonly ScenarioProblem[] => {
  if (problems.every(({ flag }) => flag !== null)) return problems;
  const variants = sourcesWithoutEachFlag(source).map(({ flag, without }) => {
    const reading = readWithFlags(without);
    return { flag, left: new Set((reading.ok ? [] : reading.problems).map(problemId)) };
  });
  return problems.map((problem) => {
    const to = variants.filter(({ left }) => !left.has(problemId(problem))).map(({ flag }) => flag);
    const flag = to.length === 0 ? null : to.join(' and ');
    return problem.flag === null ? { ...problem, flag } : problem;
  });
};

const problemId = (problem: ScenarioProblem): string => JSON.stringify(problem);

/** The plan that a scenario means, or everything that is wrong with it, in the order of the text. */
export const readScenario = (source: ScenarioSource): ScenarioReading => {
  const reading = readWithFlags(source);
  return reading.ok
    ? reading
    : { ...reading, problems: sortedProblems(withResponsibleFlags(reading.problems, source)) };
};
