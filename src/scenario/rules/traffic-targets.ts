import { defaultKeyName } from '../schema/default-key.ts';
import { defaultStageName, planStageNames } from '../compile/compile-load.ts';
import { scenarioLoadSchema } from '../schema/load-schema.ts';
import { type Path, pathKey, valueAtPath } from '../text/scenario-tree.ts';

/** What objectives can be about: the labels that requests of a scenario will have. */

/** Requests of one traffic entry in one stage, as far as both are sound. */
export interface TrafficTarget {
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
  const stages = valueAtPath(scenario, ['stages']);
  if (!Array.isArray(stages)) {
    return [
      { name: defaultStageName, load: valueAtPath(scenario, ['load']), traffic: ['traffic'] },
    ];
  }
  return stages.map((stage: unknown, index) => ({
    name: valueAtPath(stage, ['name']),
    load: valueAtPath(stage, ['load']),
    traffic:
      valueAtPath(stage, ['traffic']) === undefined ? ['traffic'] : ['stages', index, 'traffic'],
  }));
};

const namesOf = ({ name, load }: WrittenStage): readonly string[] => {
  if (typeof name !== 'string') return [];
  const validLoad = scenarioLoadSchema.safeParse(load).data;
  return validLoad === undefined ? [name] : planStageNames(name, validLoad);
};

export const trafficTargetsOf = (scenario: unknown): readonly TrafficTarget[] =>
  writtenStages(scenario).flatMap((stage) => {
    const entries = valueAtPath(scenario, stage.traffic);
    if (!Array.isArray(entries)) return [];
    return entries.map((entry: unknown, index): TrafficTarget => ({
      stage: stage.name,
      names: namesOf(stage),
      kind: valueAtPath(entry, ['kind']),
      model: valueAtPath(entry, ['model']),
      modelPath: [...stage.traffic, index, 'model'],
    }));
  });

/** The names of the keys that reports know, `default` for one without a name. */
export const keyNamesOf = (scenario: unknown): readonly unknown[] => {
  const keys = valueAtPath(scenario, ['keys']);
  return Array.isArray(keys)
    ? keys.map((key: unknown) => valueAtPath(key, ['name']))
    : [defaultKeyName];
};

/** Values that the environment gave are proposed to nobody. */
export const suggestableModels = (
  targets: readonly TrafficTarget[],
  environmentValues: ReadonlyMap<string, string>,
): readonly string[] =>
  targets.flatMap(({ model, modelPath }) =>
    typeof model === 'string' && !environmentValues.has(pathKey(modelPath)) ? [model] : [],
  );
