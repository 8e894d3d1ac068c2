import { scenarioJsonSchema } from '../schema/scenario-schema.ts';
import { isMapping, type Path, valueAtPath } from './scenario-tree.ts';

/** Looking things up in the scenario's JSON Schema, which tells what could stand where. */

let cachedSchema: unknown = null;
/** Made when a problem first needs it: a sound scenario never does. */
const jsonSchema = (): unknown => (cachedSchema ??= scenarioJsonSchema());

const branches = (schema: unknown): readonly unknown[] => {
  const list = valueAtPath(schema, ['oneOf']) ?? valueAtPath(schema, ['anyOf']);
  return Array.isArray(list) ? list : [schema];
};

const kindOf = (branch: unknown): unknown => valueAtPath(branch, ['properties', 'kind', 'const']);

const keysOf = (schema: unknown): readonly string[] => {
  const properties = valueAtPath(schema, ['properties']);
  return isMapping(properties) ? Object.keys(properties).filter((name) => name !== '$schema') : [];
};

/** The branch that describes `value`: the one of its kind, or else the one of its shape. */
const branchFor = (schema: unknown, value: unknown): unknown => {
  const kind = isMapping(value) ? value['kind'] : undefined;
  const shape = Array.isArray(value) ? 'items' : 'properties';
  const all = branches(schema);
  if (all.length === 1) return all[0];
  return (
    all.find((branch) => kind !== undefined && kindOf(branch) === kind) ??
    all.find((branch) => valueAtPath(branch, [shape]) !== undefined)
  );
};

const schemaAt = (path: Path, scenario: unknown): unknown => {
  let schema = jsonSchema();
  let value = scenario;
  for (const step of path) {
    const inside = branchFor(schema, value);
    schema =
      typeof step === 'number'
        ? valueAtPath(inside, ['items'])
        : // What may have any key says of all its values the same.
          (valueAtPath(inside, ['properties', step]) ??
          valueAtPath(inside, ['additionalProperties']));
    value = valueAtPath(value, [step]);
  }
  return schema;
};

/** The keys that the mapping at `path` may have. */
export const keysAt = (path: Path, scenario: unknown): readonly string[] =>
  keysOf(branchFor(schemaAt(path, scenario), valueAtPath(scenario, path)));

/** The kinds of what stands at `path` that have the key `name`. */
export const kindsWithKey = (name: string, path: Path, scenario: unknown): readonly string[] =>
  branches(schemaAt(path, scenario))
    .filter((branch) => keysOf(branch).includes(name))
    .map((branch) => String(kindOf(branch)));

/** The keys inside each of the scenario's own keys. */
export const nestedKeys = (): readonly { holder: string; keys: readonly string[] }[] => {
  const schema = jsonSchema();
  return keysOf(schema).map((holder) => {
    const inside = valueAtPath(schema, ['properties', holder]);
    const parts = [...branches(inside), ...branches(valueAtPath(inside, ['items']))];
    return { holder, keys: [...new Set(parts.flatMap(keysOf))] };
  });
};
