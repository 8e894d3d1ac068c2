import { parsedJson } from '../../../model/parsed-json.ts';
import { Document, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { asLiteral } from '../../../model/plan/secret.ts';
import { type Imported, ImportError, noteLine } from './imported.ts';
import { readScenario } from '../../../scenario/read-scenario.ts';
import { maxTrafficEntries } from '../../../scenario/schema/scenario-schema.ts';
import { importAiPerf } from './aiperf.ts';
import { posixScript, programPattern } from './command-flags.ts';
import { importGuideLlm } from './guidellm.ts';
import type { ImportKind } from './import-kinds.ts';
import { importK6, isK6 } from './k6.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { splitShell } from './shell-words.ts';
import { importVegeta, type VegetaAttack } from './vegeta.ts';
import { readHttpTargets, readJsonTargets, type VegetaTarget } from './vegeta-targets.ts';

const toYaml = (tree: object): string => {
  const document = new Document(tree);
  visit(document, {
    Map: (_, node, path) => {
      const isEntry = isSeq(path.at(-1)) && node.has('kind');
      const isPlain = node.items.every(({ value }) => isScalar(value));
      // A value that fits into one line is written on one line.
      if (path.length > 1 && isPlain && !isEntry && JSON.stringify(node).length < 80)
        node.flow = true;
    },
    Seq: (_, node) => {
      const isAmount = (item: unknown): boolean => isScalar(item) && /^\d/.test(String(item.value));
      if (node.items.every(isAmount)) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
};

const headLines = (imported: Imported, from: string): string => {
  const notes = imported.notes.map((note) => `#   ${noteLine(note)}`);
  return [
    `# Written by weir import from ${from}.`,
    ...(notes.length > 0 ? ['#', ...notes] : []),
    '',
  ].join('\n');
};

/** Returns the text of a complete scenario with its notes at the top, or objectives to be pasted into a scenario. */
export const importedText = (imported: Imported, from: string, schema: string): string => {
  const head = headLines(imported, from);
  if (imported.kind === 'objectives')
    return `${head}${toYaml({ objectives: imported.objectives })}`;
  return `# yaml-language-server: $schema=${schema}\n#\n${head}\n${toYaml(imported.scenario)}`;
};

export const insertObjectives = (text: string, objectives: readonly string[]): string => {
  const document = parseDocument(text, { prettyErrors: false });
  const root = document.contents;
  if (document.errors.length > 0 || !isMap(root) || root.flow === true) {
    throw new ImportError('--into: expected a scenario in YAML, a key in each line');
  }
  const lines = (indent: string) => objectives.map((each) => `${indent}- ${each}\n`).join('');
  const list = root.get('objectives', true);
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (list === undefined) return `${whole}\nobjectives:\n${lines('  ')}`;
  const last = isSeq(list) && list.flow !== true ? list.items.at(-1) : undefined;
  const [first] = isSeq(list) ? list.items : [];
  const [start, end] = [rangeOf(first)?.[0], rangeOf(last)?.[1]];
  if (start === undefined || end === undefined) {
    throw new ImportError('--into: expected "objectives" as a list with a dash before each');
  }
  const indent = /[^\n]*$/.exec(whole.slice(0, start))![0].replace(/-\s*$/, '');
  const at = whole.indexOf('\n', Math.max(start, end - 1)) + 1;
  return whole.slice(0, at) + lines(indent) + whole.slice(at);
};

const rangeOf = (node: unknown): readonly [number, number, number] | undefined =>
  (node as { range?: [number, number, number] | null } | undefined)?.range ?? undefined;

const namesProgram = (text: string, program: string): boolean =>
  splitShell(posixScript(text)).commands.some((words) =>
    words.some((word) => programPattern(program).test(word.text)),
  );

/** Returns whether a value is a target of vegeta. A line of an OpenAI batch, which has a `custom_id`, is no target. */
const isJsonTarget = (parsed: unknown): boolean =>
  isMapping(parsed) && !('custom_id' in parsed) && ('method' in parsed || 'url' in parsed);

/** Recognises the kind of a text by its content; `null` if the kind is unknown. */
export const recognise = (text: string): ImportKind | null => {
  const first = text.split('\n').find((line) => !/^\s*(#|$)/.test(line)) ?? '';
  if (/^\s*[A-Z]+\s+https?:\/\//.test(first)) return 'vegeta';
  if (isJsonTarget(parsedJson(first))) return 'vegeta';
  if (isK6(parsedJson(text)) || /^import .* from ['"]k6/m.test(text)) return 'k6';
  return (['guidellm', 'aiperf'] as const).find((program) => namesProgram(text, program)) ?? null;
};

export const readTargets = (text: string): readonly VegetaTarget[] => {
  const isJson = text.trimStart().startsWith('{');
  const targets = isJson ? readJsonTargets(text) : readHttpTargets(text);
  if (targets.length === 0) throw new ImportError('there are no targets');
  return targets;
};

type Step = string | number;

/**
 * Returns whether a scenario fills templates of all kinds, such as `${uuid}`, in a text at this path. This is so in
 * headers and bodies. In every other text, a scenario fills only `${env:…}`, `${secret:…}` and `${command:…}`.
 */
const isTemplate = ([first, , third]: readonly Step[]): boolean =>
  first === 'headers' || (first === 'traffic' && third === 'body');

/** Escapes the templates that a scenario would fill in, such as `${uuid}`, so that the text is sent unchanged. */
const literal = (value: unknown, path: readonly Step[]): unknown => {
  if (typeof value === 'string') {
    return isTemplate(path)
      ? asLiteral(value)
      : value.replaceAll(/\$\{(?=(?:env|secret|command):)/g, () => '$${');
  }
  // Returns the same object if no part of the object changes. YAML writes an object that occurs several times in a
  // scenario only once, but would write every copy.
  if (!(JSON.stringify(value) ?? '').includes('${')) return value;
  if (Array.isArray(value)) return value.map((item, i) => literal(item, [...path, i]));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, literal(inner, [...path, name])]),
  );
};

const withLiterals = (imported: Imported): Imported => {
  if (imported.kind !== 'scenario') return imported;
  const { traffic, headers } = imported.scenario;
  const scenario = {
    ...imported.scenario,
    ...(headers === undefined ? {} : { headers: literal(headers, ['headers']) }),
    traffic: literal(traffic, ['traffic']),
  };
  return { ...imported, scenario };
};

/** Throws an `ImportError` for values that the other tool may accept but a scenario cannot contain. */
const refuseInvalid = (imported: Imported): void => {
  if (imported.kind !== 'scenario') return;
  const { traffic } = imported.scenario;
  // To write and read tens of thousands of entries takes seconds.
  if (Array.isArray(traffic) && traffic.length > maxTrafficEntries)
    throw new ImportError(
      `it would make more than ${maxTrafficEntries} traffic entries, the most of a scenario`,
    );
  const text = importedText(imported, '', '');
  const source = { text, name: 'weir.yaml', environment: {}, secretsAreElsewhere: true };
  const reading = readScenario(source);
  // Files are not checked here, but when the scenario is run from its folder.
  const problem = reading.ok
    ? undefined
    : reading.problems.find(({ path }) => !path.endsWith('.tokenizer'));
  if (problem === undefined) return;
  throw new ImportError(`it would make an invalid scenario: ${problem.path}: ${problem.message}`);
};

/**
 * Imports a text of a known kind. A resulting scenario is valid. Throws an `ImportError` if no part of the text can be
 * imported. `isAdded` says that the objectives are added to an existing scenario.
 */
export const importText = (
  kind: ImportKind,
  text: string,
  attack: VegetaAttack,
  isAdded = false,
): Imported => {
  const importers = {
    vegeta: () => importVegeta(readTargets(text), attack),
    k6: () => importK6(text, isAdded),
    guidellm: () => importGuideLlm(text),
    aiperf: () => importAiPerf(text),
  } as const satisfies Record<ImportKind, () => Imported>;
  const imported = withLiterals(importers[kind]());
  refuseInvalid(imported);
  return imported;
};
