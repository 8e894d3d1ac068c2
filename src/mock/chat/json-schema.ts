import { isDeepStrictEqual } from 'node:util';

/** The part of JSON Schema that the gateway understands: answers with a schema obey it, or are refused. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Schemas that contain themselves are followed this far. */
export const maxSchemaDepth = 64;

/** A walk through the schema `root`, which references point into, and how many steps it may still take: some schemas branch for ever. */
export interface SchemaWalk {
  readonly root: unknown;
  stepsLeft: number;
}

export const startWalk = (root: unknown): SchemaWalk => ({ root, stepsLeft: 10_000 });

/** Where the schemas inside a schema are: as they stand, in a list, or by name. */
const innerSchemas: Readonly<Record<string, 'one' | 'list' | 'named'>> = {
  additionalProperties: 'one',
  allOf: 'list',
  anyOf: 'list',
  definitions: 'named',
  $defs: 'named',
  items: 'one',
  oneOf: 'list',
  prefixItems: 'list',
  properties: 'named',
};

const plainKeywords: ReadonlySet<string> = new Set(
  (
    'type enum const required minItems maxItems uniqueItems minLength maxLength pattern format minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties $ref ' +
    '$schema $id $comment title description default examples deprecated readOnly writeOnly'
  ).split(' '),
);

const knownFormats: ReadonlySet<unknown> = new Set(
  'date date-time duration email hostname ipv4 ipv6 time uri uuid'.split(' '),
);

const decoded = (step: string): string | undefined => {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
};

/** The schema that a local reference names; undefined for any other. */
export const referencedSchema = (reference: unknown, root: unknown): unknown => {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  return reference
    .split('/')
    .slice(1)
    .map(decoded)
    .reduce<unknown>(
      (holder, step) =>
        typeof holder === 'object' &&
        holder !== null &&
        step !== undefined &&
        Object.hasOwn(holder, step)
          ? (holder as JsonSchema)[step]
          : undefined,
      root,
    );
};

const entriesOf = (name: string, inner: unknown): readonly (readonly [string, unknown])[] => {
  const form = innerSchemas[name];
  if (form === 'one') return [[name, inner]];
  if (typeof inner !== 'object' || inner === null) return [];
  return Object.entries(inner).map(([step, schema]) => [`${name}.${step}`, schema as unknown]);
};

const problemHere = (schema: JsonSchema, root: unknown): string | null => {
  for (const [name, value] of Object.entries(schema)) {
    if (!plainKeywords.has(name) && !Object.hasOwn(innerSchemas, name))
      return `the keyword ${JSON.stringify(name)} is not supported`;
    if (name === '$ref' && referencedSchema(value, root) === undefined)
      return `the reference ${JSON.stringify(value)} is not to a part of the schema`;
    if (name === 'format' && !knownFormats.has(value))
      return `the format ${JSON.stringify(value)} is not supported`;
  }
  return null;
};

/** What of a schema the gateway does not understand, with its place; `null` if it understands it all. */
export const unsupportedIn = (root: unknown): string | null => {
  const waiting: (readonly [string, unknown])[] = [['', root]];
  for (const [place, schema] of waiting) {
    if (typeof schema === 'boolean') continue;
    const where = place === '' ? 'the schema' : place;
    if (!isSchema(schema)) return `${where}: expected a schema`;
    const problem = problemHere(schema, root);
    if (problem !== null) return `${where}: ${problem}`;
    for (const [name, value] of Object.entries(schema))
      for (const [step, inner] of Object.hasOwn(innerSchemas, name) ? entriesOf(name, value) : [])
        waiting.push([place === '' ? step : `${place}.${step}`, inner]);
  }
  return null;
};

const typeTests = new Map<unknown, (value: unknown) => boolean>([
  ['object', isSchema],
  ['array', Array.isArray],
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
]);

const within = (size: number, least: unknown, most: unknown): boolean =>
  (typeof least !== 'number' || size >= least) && (typeof most !== 'number' || size <= most);

const isMultiple = (value: number, step: unknown): boolean =>
  typeof step !== 'number' || Math.abs(value / step - Math.round(value / step)) < 1e-9;

const numberObeys = (value: number, schema: JsonSchema): boolean => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const isAbove = typeof exclusiveMinimum !== 'number' || value > exclusiveMinimum;
  const isBelow = typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum;
  return within(value, minimum, maximum) && isAbove && isBelow && isMultiple(value, multipleOf);
};

const matches = (text: string, pattern: unknown): boolean => {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
};

const textObeys = (text: string, { minLength, maxLength, pattern }: JsonSchema): boolean =>
  within([...text].length, minLength, maxLength) && matches(text, pattern);

type Inner = (value: unknown, schema: unknown) => boolean;

const sortedMembers = (value: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, value[name]]),
  );

/** The JSON of a value, the same for all that are equal. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (isSchema(inner) ? sortedMembers(inner) : inner));

const listObeys = (list: readonly unknown[], schema: JsonSchema, obeysInner: Inner): boolean => {
  const { items, prefixItems, minItems, maxItems, uniqueItems } = schema;
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  return (
    within(list.length, minItems, maxItems) &&
    (uniqueItems !== true || new Set(list.map(sortedJson)).size === list.length) &&
    list.every((item, index) => obeysInner(item, index < first.length ? first[index] : items))
  );
};

const objectObeys = (object: JsonSchema, schema: JsonSchema, obeysInner: Inner): boolean => {
  const { properties, required, additionalProperties, minProperties, maxProperties } = schema;
  const named: JsonSchema = isSchema(properties) ? properties : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return (
    within(Object.keys(object).length, minProperties, maxProperties) &&
    needed.every((name) => typeof name === 'string' && Object.hasOwn(object, name)) &&
    Object.entries(object).every(([name, value]) =>
      obeysInner(value, Object.hasOwn(named, name) ? named[name] : additionalProperties),
    )
  );
};

const contentObeys = (value: unknown, schema: JsonSchema, obeysInner: Inner): boolean => {
  if (typeof value === 'string') return textObeys(value, schema);
  if (typeof value === 'number') return numberObeys(value, schema);
  if (Array.isArray(value)) return listObeys(value, schema, obeysInner);
  return !isSchema(value) || objectObeys(value, schema, obeysInner);
};

/** Whether a value is of the schema's type and among its values. */
const isAllowed = (value: unknown, schema: JsonSchema): boolean => {
  const { type, enum: choices, const: only } = schema;
  const types: readonly unknown[] = type === undefined ? [] : [type].flat();
  const hasType = types.some((name) => typeTests.get(name)?.(value) === true);
  return (
    (types.length === 0 || hasType) &&
    (!Array.isArray(choices) || choices.some((choice) => isDeepStrictEqual(choice, value))) &&
    (!Object.hasOwn(schema, 'const') || isDeepStrictEqual(only, value))
  );
};

/** Whether a value obeys a schema without unsupported parts; formats are not checked. False where the walk ends before that is known. */
export const obeys = (value: unknown, schema: unknown, walk: SchemaWalk, depth = 0): boolean => {
  walk.stepsLeft -= 1;
  if (depth > maxSchemaDepth || walk.stepsLeft < 0) return false;
  if (!isSchema(schema)) return schema !== false;
  const inner: Inner = (part, partSchema) => obeys(part, partSchema, walk, depth + 1);
  const { anyOf, oneOf, allOf, $ref } = schema;
  const fits = (list: unknown, isEnough: (fitting: number, all: number) => boolean): boolean =>
    !Array.isArray(list) || isEnough(list.filter((each) => inner(value, each)).length, list.length);
  return (
    isAllowed(value, schema) &&
    ($ref === undefined || inner(value, referencedSchema($ref, walk.root))) &&
    fits(anyOf, (fitting) => fitting > 0) &&
    fits(oneOf, (fitting) => fitting === 1) &&
    fits(allOf, (fitting, all) => fitting === all) &&
    contentObeys(value, schema, inner)
  );
};
