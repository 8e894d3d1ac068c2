import { scenarioJsonSchema } from './schema.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/** Looking things up in the scenario's JSON Schema, which tells what could stand where. */

let known: unknown = null;
/** Made when a problem first needs it: a sound scenario never does. */
const wholeSchema = (): unknown => (known ??= scenarioJsonSchema());

const branches = (schema: unknown): readonly unknown[] => {
  const list = valueAt(schema, ['oneOf']) ?? valueAt(schema, ['anyOf']);
  return Array.isArray(list) ? list : [schema];
};

const kindOf = (branch: unknown): unknown => valueAt(branch, ['properties', 'kind', 'const']);

const keysOf = (schema: unknown): readonly string[] => {
  const properties = valueAt(schema, ['properties']);
  return isMapping(properties) ? Object.keys(properties).filter((name) => name !== '$schema') : [];
};

/** The branch that describes `value`: the one of its kind, or else the one of its shape. */
const describing = (schema: unknown, value: unknown): unknown => {
  const kind = isMapping(value) ? value['kind'] : undefined;
  const shape = Array.isArray(value) ? 'items' : 'properties';
  const all = branches(schema);
  if (all.length === 1) return all[0];
  return (
    all.find((branch) => kind !== undefined && kindOf(branch) === kind) ??
    all.find((branch) => valueAt(branch, [shape]) !== undefined)
  );
};

const schemaAt = (path: Path, scenario: unknown): unknown => {
  let schema = wholeSchema();
  let value = scenario;
  for (const step of path) {
    const inside = describing(schema, value);
    schema =
      typeof step === 'number'
        ? valueAt(inside, ['items'])
        : // What may have any key says of all its values the same.
          (valueAt(inside, ['properties', step]) ?? valueAt(inside, ['additionalProperties']));
    value = valueAt(value, [step]);
  }
  return schema;
};

/** The keys that the mapping at `path` may have. */
export const keysAt = (path: Path, scenario: unknown): readonly string[] =>
  keysOf(describing(schemaAt(path, scenario), valueAt(scenario, path)));

/** The kinds of what stands at `path` that have the key `name`. */
export const kindsWith = (name: string, path: Path, scenario: unknown): readonly string[] =>
  branches(schemaAt(path, scenario))
    .filter((branch) => keysOf(branch).includes(name))
    .map((branch) => String(kindOf(branch)));

/** The keys inside each of the scenario's own keys. */
export const innerKeys = (): readonly { holder: string; keys: readonly string[] }[] => {
  const schema = wholeSchema();
  return keysOf(schema).map((holder) => {
    const inside = valueAt(schema, ['properties', holder]);
    const parts = [...branches(inside), ...branches(valueAt(inside, ['items']))];
    return { holder, keys: [...new Set(parts.flatMap(keysOf))] };
  });
};
