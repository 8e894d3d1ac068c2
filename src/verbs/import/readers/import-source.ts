import { readScenario } from '../../../scenario/read-scenario.ts';
import { importAiPerf } from './aiperf.ts';
import { importGuideLlm } from './guidellm.ts';
import type { ImportKind } from './import-kinds.ts';
import { type Imported, ImportError } from './imported.ts';
import { importK6, isK6 } from './k6.ts';
import { importedText } from './imported-text.ts';
import { splitShell } from '../../../scenario/text/shell-words.ts';
import { importVegeta, type VegetaAttack } from './vegeta.ts';
import { readHttpTargets, readJsonTargets, type VegetaTarget } from './vegeta-targets.ts';

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const namesProgram = (text: string, program: string): boolean =>
  splitShell(text).commands.some((words) =>
    words.some((word) => word.text === program || word.text.endsWith(`/${program}`)),
  );

/** What a text is, by its content; `null` if it is none of them. */
export const recognise = (text: string): ImportKind | null => {
  const first = text.split('\n').find((line) => !/^\s*(#|$)/.test(line)) ?? '';
  if (/^\s*[A-Z]+\s+https?:\/\//.test(first)) return 'vegeta';
  if (/^\s*\{.*"(method|url)"/.test(first) && parsedJson(first) !== undefined) return 'vegeta';
  if (isK6(parsedJson(text))) return 'k6';
  return (['guidellm', 'aiperf'] as const).find((program) => namesProgram(text, program)) ?? null;
};

/** Vegeta’s targets in either of its formats. */
export const readTargets = (text: string): readonly VegetaTarget[] => {
  const isJson = text.trimStart().startsWith('{');
  const targets = isJson ? readJsonTargets(text) : readHttpTargets(text);
  if (targets.length === 0) throw new ImportError('there are no targets');
  return targets;
};

/** Values that the other tool may take, and a scenario cannot have. */
const refuseInvalid = (imported: Imported): void => {
  if (imported.kind !== 'scenario') return;
  const text = importedText(imported, '', '');
  const source = { text, name: 'weir.yaml', environment: {}, secretsAreElsewhere: true };
  const reading = readScenario(source);
  // Files are looked at when the scenario is run, from where it is.
  const problem = reading.ok
    ? undefined
    : reading.problems.find(({ path }) => !path.endsWith('.tokenizer'));
  if (problem === undefined) return;
  throw new ImportError(`it would make an invalid scenario: ${problem.path}: ${problem.message}`);
};

/** Imports a text of a known kind; a scenario is valid. Throws an `ImportError` if nothing of it can be taken over. */
export const importText = (kind: ImportKind, text: string, attack: VegetaAttack): Imported => {
  const importers = {
    vegeta: () => importVegeta(readTargets(text), attack),
    k6: () => importK6(text),
    guidellm: () => importGuideLlm(text),
    aiperf: () => importAiPerf(text),
  } as const satisfies Record<ImportKind, () => Imported>;
  const imported = importers[kind]();
  refuseInvalid(imported);
  return imported;
};
