import { openAjv } from '../../model/workload/json-schema.ts';

/**
 * This file defines the part of JSON Schema that the gateway understands. An answer conforms to the request's schema,
 * or the gateway refuses the request.
 */

export type JsonSchema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keywords whose values contain schemas, by form: a schema, a list of schemas, or schemas by name. */
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

/** Returns the schema to which a local reference such as `#/$defs/name` points; `undefined` for any other reference. */
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

const partsOf = (root: unknown) => {
  const parts: (readonly [place: string, schema: unknown])[] = [['', root]];
  for (const [place, schema] of parts) {
    if (!isSchema(schema)) continue;
    for (const [name, value] of Object.entries(schema))
      for (const [step, inner] of Object.hasOwn(innerSchemas, name) ? entriesOf(name, value) : [])
        parts.push([place === '' ? step : `${place}.${step}`, inner]);
  }
  return parts;
};

/**
 * Describes the first part of a schema that the gateway does not understand, with its place; `null` if the gateway
 * understands the whole schema.
 */
export const unsupportedIn = (root: unknown): string | null => {
  for (const [place, schema] of partsOf(root)) {
    if (typeof schema === 'boolean') continue;
    const problem = isSchema(schema) ? problemHere(schema, root) : 'expected a schema';
    if (problem !== null) return `${place === '' ? 'the schema' : place}: ${problem}`;
  }
  return null;
};

const sortedMembers = (value: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, value[name]]),
  );

/** Writes the JSON of a value. Equal values get equal texts. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (isSchema(inner) ? sortedMembers(inner) : inner));

/**
 * Decides whether a value conforms to a schema. This schema is the whole schema of the request, a part of it, or a
 * schema that was joined from several parts.
 */
export type PartTest = (value: unknown, schema: unknown) => boolean;

/**
 * The maximum number of parts that are compiled for one schema. A value whose test would need more parts does not
 * conform.
 */
const maxCompiled = 2_000;
/**
 * For one value, at most this many references are followed in total, and at most `maxReferenceDepth` references inside
 * one another. Both limits are needed, because a schema that refers to itself can nest without end or branch without
 * end.
 */
const maxReferences = 10_000;
const maxReferenceDepth = 64;

/**
 * The options of Ajv. Formats are not checked, since generated values have the right formats. A `multipleOf` such as
 * 0.1 needs a tolerance.
 */
const ajvOptions = {
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  validateFormats: false,
  multipleOfPrecision: 9,
};

const openTest = (root: unknown): PartTest => {
  const ajv = openAjv(false, ajvOptions);
  const compiled = new Map<string, (value: unknown) => unknown>();
  let compiledLeft = maxCompiled;
  let referencesLeft = 0;
  let depth = 0;
  const fits = (value: unknown, schema: unknown, key: string): boolean => {
    let validate = compiled.get(key);
    if (validate === undefined) {
      compiledLeft -= partsOf(schema).length;
      if (compiledLeft < 0) throw new RangeError('the schema has too many parts');
      validate = ajv.compile(isSchema(schema) ? schema : schema !== false);
      if ('$async' in validate) throw new TypeError('Ajv would answer with a promise');
      compiled.set(key, validate);
    }
    return validate(value) === true;
  };
  const follow = (reference: string, value: unknown): boolean => {
    if (depth >= maxReferenceDepth) return false;
    if (referencesLeft === 0) throw new RangeError('the schema refers to itself too often');
    referencesLeft -= 1;
    depth += 1;
    const isFit = fits(value, referencedSchema(reference, root), reference);
    depth -= 1;
    return isFit;
  };
  ajv.removeKeyword('$ref');
  ajv.addKeyword({ keyword: '$ref', errors: false, validate: follow });
  return (value, schema) => {
    referencesLeft = maxReferences;
    depth = 0;
    try {
      return fits(value, schema, JSON.stringify(schema));
    } catch {
      return false;
    }
  };
};

/**
 * The tests of the latest schemas, by the JSON of the schema. They are stored, since a load test sends few different
 * schemas and compiling one takes a millisecond.
 */
const opened = new Map<string, PartTest>();
const maxOpened = 64;
/** The maximum length of a schema's JSON, in characters. The test of a longer schema is not stored. */
const longestKept = 65_536;

export const partTestOf = (root: unknown): PartTest => {
  const key = JSON.stringify(root);
  const test = opened.get(key) ?? openTest(root);
  opened.delete(key);
  if (key.length <= longestKept) opened.set(key, test);
  if (opened.size > maxOpened) opened.delete(opened.keys().next().value!);
  return test;
};
