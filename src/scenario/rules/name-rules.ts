import type { ScenarioLoad } from '../schema/load-schema.ts';
import type { CompiledLoad } from '../compile/compile-load.ts';
import { type Path, valueAtPath } from '../text/scenario-tree.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';

/** A finding for each name that stood before. */
export const duplicateNameFindings = (
  names: readonly { path: Path; name: unknown }[],
  what: string,
): ScenarioFinding[] =>
  names.flatMap(({ path, name }, index) =>
    typeof name === 'string' && names.findIndex((other) => other.name === name) < index
      ? [valueFinding(path, `${what} names must differ; ${JSON.stringify(name)} stands here again`)]
      : [],
  );

export const uniqueNameFindings = (
  scenario: unknown,
  loads: readonly PlacedLoad[],
): ScenarioFinding[] => {
  const keys = valueAtPath(scenario, ['keys']);
  const keyNames = Array.isArray(keys)
    ? keys.map((entry: unknown, index) => ({
        path: ['keys', index, 'name'],
        name: valueAtPath(entry, ['name']),
      }))
    : [];
  const stageNames = loads.flatMap(({ path, name, compiled }) => {
    const at = [...path.slice(0, -1), 'name'];
    if (typeof name !== 'string' || compiled.length === 0) return [{ path: at, name }];
    return compiled.map(({ suffix }) => ({ path: at, name: `${name}${suffix}` }));
  });
  return [...duplicateNameFindings(keyNames, 'key'), ...duplicateNameFindings(stageNames, 'stage')];
};

/** A load where it stands; `load` is `null` while its fields are faulty. */
export interface PlacedLoad {
  readonly path: Path;
  readonly name: unknown;
  readonly load: ScenarioLoad | null;
  readonly compiled: readonly CompiledLoad[];
}

export const valueFinding = (
  path: Path,
  message: string,
  hint: string | null = null,
): ScenarioFinding => ({
  path,
  part: 'value',
  message,
  hint,
});
