import { readScenario, readVariables } from '../../../scenario/read-scenario.ts';
import { importedText } from './import-source.ts';
import type { Imported } from './imported.ts';
import type { VegetaAttack } from './vegeta.ts';

/** Test support for imports: the text that an import makes, and the problems of a scenario with it. */

export const environment = { WEIR_API_KEY: 'k' };
export const attack: VegetaAttack = {
  rate: '50/s',
  duration: '30s',
  bodies: new Map(),
  canWriteFiles: true,
};

export const scenarioWith = (text: string) => `target: mock
traffic: [{ kind: models }]
load: { kind: constant, rate: 1/s, duration: 1m }
${text}`;

export const textOfImport = (imported: Imported): string => {
  const text = importedText(imported, 'a file', './schema.json');
  return imported.kind === 'objectives' ? scenarioWith(text) : text;
};

export const problemsOf = (text: string): readonly unknown[] => {
  const source = { text, name: 'a.yaml', environment };
  const reading = readScenario(source);
  return [...(reading.ok ? [] : reading.problems), ...readVariables(source, []).problems];
};
