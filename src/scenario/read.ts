import type { Plan } from '../model/plan.ts';
import type { WorkloadFiles } from '../model/workload.ts';
import { compile } from './compile.ts';
import { findingsOf, sentence, shown } from './complaint.ts';
import { checkHeaders, checkKeys } from './credentials.ts';
import { openDocument } from './document.ts';
import { fileUses, type NamedFile } from './named-files.ts';
import { applyOverrides, overrideFlag } from './override.ts';
import { brokenObjectiveRules } from './objective-rules.ts';
import { brokenPriceRules } from './price-rules.ts';
import { type Finding, inOrder, placeIn, type Problem, problemFrom } from './problem.ts';
import { brokenPromptRules } from './prompt-rules.ts';
import { brokenSpeechRules } from './speech-rules.ts';
import { brokenRules } from './rules.ts';
import { scenarioSchema } from './schema.ts';
import { withMeantKinds } from './meant-kinds.ts';
import { settle } from './settle.ts';
import { type Environment, fillEnvironment } from './template.ts';
import { brokenTrafficRules } from './traffic-rules.ts';
import { graft, isMapping, pathKey, type Tree, valueAt } from './tree.ts';

/** A scenario to read, and what bears on its meaning. */
export interface ScenarioSource {
  /** The file's text, YAML or JSON, or the tree of a module or of flags. */
  readonly text: string | Tree;
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

const unread = (file: string) => ({ ok: false, problem: `${file} is not read here` }) as const;
const noFiles: WorkloadFiles = {
  text: unread,
  dataset: unread,
  tokenizer: unread,
  trace: ({ file }) => unread(file),
};

/** A plan, or what is wrong; and in either case the files that the scenario names, which nobody has looked at. */
export type Reading = { readonly files: readonly NamedFile[] } & (
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problems: readonly Problem[] }
);

const emptyScenario: Finding = {
  path: [],
  part: 'value',
  message: 'the scenario is empty: expected at least "traffic" and "load"',
  hint: 'begin with a copy of scenarios/quickstart.yaml',
};

const notAMapping = (value: unknown): Finding => ({
  path: [],
  part: 'value',
  message: `expected a mapping with "traffic" and "load", got ${shown(value)}`,
  hint: null,
});

/** Keys must be there for a real gateway only: the reference gateway has test keys of its own. */
const keyEnvironment = (scenario: unknown, environment: Environment): Environment | null => {
  const target = scenarioSchema.shape.target.safeParse(valueAt(scenario, ['target']));
  return target.data?.kind === 'url' ? environment : null;
};

const nameFrom = (file: string): string =>
  file.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]*$/, '') || 'scenario';

const readTree = (
  tree: Tree,
  { name, environment, workload = noFiles }: ScenarioSource,
): Reading => {
  const fail = (findings: readonly Finding[], files: readonly NamedFile[] = []): Reading => ({
    ok: false,
    problems: findings.map((finding) => problemFrom(tree, finding)),
    files,
  });
  if (tree.value === null) return fail([emptyScenario]);
  if (!isMapping(tree.value)) return fail([notAMapping(tree.value)]);
  const filled = fillEnvironment(tree, environment);
  const parse = (value: unknown) => scenarioSchema.safeParse(value, { error: sentence });
  const written = settle(filled.tree.value, parse(filled.tree.value).error?.issues ?? [], filled);
  const { value, corrected } = withMeantKinds(written, parse(written).error?.issues ?? []);
  const parsed = parse(value);
  const keysFrom = keyEnvironment(value, environment);
  const graver = [
    ...filled.findings,
    ...checkKeys(value, keysFrom),
    ...checkHeaders(value, environment),
  ];
  const explained = new Set(graver.map(({ path }) => pathKey(path)));
  const findings = [
    ...graver,
    ...[
      ...corrected.flatMap((issue) => findingsOf(issue, { value: written, filled: filled.filled })),
      ...(parsed.error?.issues ?? []).flatMap((issue) =>
        findingsOf(issue, { value, filled: filled.filled }),
      ),
    ].filter(({ path }) => !explained.has(pathKey(path))),
    ...brokenRules(value, workload),
    ...brokenTrafficRules(value),
    ...brokenPromptRules(value, workload),
    ...brokenSpeechRules(value, workload),
    ...brokenPriceRules(value, filled.filled),
    ...brokenObjectiveRules(value, filled.filled),
  ];
  const files = fileUses(value, keysFrom !== null).map(({ use, path }) => ({
    use,
    place: placeIn(tree, path, 'value'),
  }));
  return findings.length === 0 && parsed.success
    ? { ok: true, plan: compile(parsed.data, nameFrom(name), workload), files }
    : fail(findings, files);
};

const wholeNumber = /^\d+$/;

const readOnce = (source: ScenarioSource): Reading => {
  const { text, overrides = [], target, transport } = source;
  const workers = wholeNumber.test(source.workers ?? '') ? Number(source.workers) : source.workers;
  const opened = typeof text === 'string' ? openDocument(text) : { tree: text, problems: [] };
  if (opened.tree === null) return { ok: false, problems: opened.problems, files: [] };
  const changed = applyOverrides(opened.tree, overrides);
  let tree = changed.tree;
  for (const [name, value] of Object.entries({ target, transport, workers })) {
    if (value !== undefined && isMapping(tree.value))
      tree = graft(tree, [name], value, `--${name}`);
  }
  const reading = readTree(tree, source);
  const problems = [
    ...opened.problems,
    ...changed.problems,
    ...(reading.ok ? [] : reading.problems),
  ];
  return problems.length === 0 ? reading : { ok: false, problems, files: reading.files };
};

/** The scenario without each of the flags that change it, and the flag. */
const withoutEach = (
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
const blamed = (problems: readonly Problem[], source: ScenarioSource): readonly Problem[] => {
  if (problems.every(({ flag }) => flag !== null)) return problems;
  const rests = withoutEach(source).map(({ flag, without }) => {
    const reading = readOnce(without);
    return { flag, left: new Set((reading.ok ? [] : reading.problems).map(identity)) };
  });
  return problems.map((problem) => {
    const to = rests.filter(({ left }) => !left.has(identity(problem))).map(({ flag }) => flag);
    const flag = to.length === 0 ? null : to.join(' and ');
    return problem.flag === null ? { ...problem, flag } : problem;
  });
};

const identity = (problem: Problem): string => JSON.stringify(problem);

/** The plan that a scenario means, or everything that is wrong with it, in the order of the text. */
export const readScenario = (source: ScenarioSource): Reading => {
  const reading = readOnce(source);
  return reading.ok ? reading : { ...reading, problems: inOrder(blamed(reading.problems, source)) };
};
