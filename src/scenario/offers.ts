import { onlyStage, stageNames } from './compile-load.ts';
import { loadSchema } from './load-schema.ts';
import { type Path, pathKey, valueAt } from './tree.ts';

/** What objectives can be about: the labels that requests of a scenario will have. */

/** Requests of one traffic entry in one stage, as far as both are sound. */
export interface Offer {
  /** The stage as it was written; `names` are those that reports call it: stairs have several. */
  readonly stage: unknown;
  readonly names: readonly string[];
  readonly kind: unknown;
  readonly model: unknown;
  readonly modelPath: Path;
}

interface WrittenStage {
  readonly name: unknown;
  readonly load: unknown;
  /** Where its traffic stands: its own or the scenario's. */
  readonly traffic: Path;
}

const writtenStages = (scenario: unknown): readonly WrittenStage[] => {
  const stages = valueAt(scenario, ['stages']);
  if (!Array.isArray(stages)) {
    return [{ name: onlyStage, load: valueAt(scenario, ['load']), traffic: ['traffic'] }];
  }
  return stages.map((stage: unknown, index) => ({
    name: valueAt(stage, ['name']),
    load: valueAt(stage, ['load']),
    traffic: valueAt(stage, ['traffic']) === undefined ? ['traffic'] : ['stages', index, 'traffic'],
  }));
};

const namesOf = ({ name, load }: WrittenStage): readonly string[] => {
  if (typeof name !== 'string') return [];
  const sound = loadSchema.safeParse(load).data;
  return sound === undefined ? [name] : stageNames(name, sound);
};

export const offersOf = (scenario: unknown): readonly Offer[] =>
  writtenStages(scenario).flatMap((stage) => {
    const entries = valueAt(scenario, stage.traffic);
    if (!Array.isArray(entries)) return [];
    return entries.map((entry: unknown, index): Offer => ({
      stage: stage.name,
      names: namesOf(stage),
      kind: valueAt(entry, ['kind']),
      model: valueAt(entry, ['model']),
      modelPath: [...stage.traffic, index, 'model'],
    }));
  });

/** The names of the keys that reports know, `default` for one without a name. */
export const keyNamesOf = (scenario: unknown): readonly unknown[] => {
  const keys = valueAt(scenario, ['keys']);
  return Array.isArray(keys) ? keys.map((key: unknown) => valueAt(key, ['name'])) : [onlyKey];
};

/** What reports call the key of a scenario that names none. */
export const onlyKey = 'default';

/** Values that the environment gave are proposed to nobody. */
export const modelsShown = (
  offers: readonly Offer[],
  filled: ReadonlyMap<string, string>,
): readonly string[] =>
  offers.flatMap(({ model, modelPath }) =>
    typeof model === 'string' && !filled.has(pathKey(modelPath)) ? [model] : [],
  );
