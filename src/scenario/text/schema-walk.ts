import { z } from 'zod';
import { scenarioSchema } from '../schema/scenario-schema.ts';
import { parseScalar } from './overrides.ts';
import type { FilledScenario } from './environment-template.ts';
import { nearest } from './spelling.ts';
import { isMapping, type Path, pathKey, valueAtPath, withEachValue } from './scenario-tree.ts';

/** This file finds the part of the scenario's schema that belongs to a path. */

export type Schema = z.core.$ZodType;

/** Returns the alternatives of a schema, without the defaults and transforms around them. */
export const branchesOf = (schema: Schema): readonly Schema[] => {
  if (schema instanceof z.ZodPipe) return branchesOf(schema.def.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(branchesOf);
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
    ? branchesOf(schema.unwrap())
    : [schema];
};

const keysOf = (schema: Schema | undefined): readonly string[] =>
  schema instanceof z.ZodObject
    ? Object.keys(schema.shape).filter((name) => name !== '$schema')
    : [];

/** Returns the field that shows the kind of a mapping: `kind`, or `type` for content parts. */
const kindIn = (fields: Readonly<Record<string, unknown>>): unknown =>
  fields['kind'] ?? fields['type'];

const kindOf = (schema: Schema): string | null => {
  const kind: unknown = schema instanceof z.ZodObject ? kindIn(schema.shape) : undefined;
  return kind instanceof z.ZodLiteral ? String(kind.value) : null;
};

const kindsOf = (branches: readonly Schema[]): readonly string[] =>
  branches.map(kindOf).filter((kind) => kind !== null);

/**
 * Returns the branch of a schema that describes a list or a mapping. For a mapping, this is the branch with the same
 * `kind` or `type`, or else the first branch that describes a mapping.
 */
export const branchFor = (schema: Schema, value: unknown): Schema | undefined => {
  const branches = branchesOf(schema);
  if (Array.isArray(value)) return branches.find((branch) => branch instanceof z.ZodArray);
  const kind = isMapping(value) ? kindIn(value) : undefined;
  return (
    branches.find((branch) => kind !== undefined && kindOf(branch) === kind) ??
    branches.find((branch) => branch instanceof z.ZodObject || branch instanceof z.ZodRecord)
  );
};

/**
 * Returns the schema of the value under a name or at an index in `holder`; `undefined` if `holder` must not have this
 * value.
 */
export const schemaInside = (
  holder: Schema | undefined,
  step: string | number,
): Schema | undefined => {
  if (holder instanceof z.ZodArray) return holder.element;
  if (holder instanceof z.ZodRecord) return holder.valueType;
  if (!(holder instanceof z.ZodObject)) return undefined;
  if (!Object.hasOwn(holder.shape, step)) {
    const { catchall } = holder.def;
    return catchall instanceof z.ZodObject ? catchall : undefined;
  }
  return (holder.shape as Readonly<Record<string, Schema>>)[step];
};

const schemaAt = (path: Path, scenario: unknown): Schema | undefined => {
  let schema: Schema | undefined = scenarioSchema;
  let value = scenario;
  for (const step of path) {
    schema = schema && schemaInside(branchFor(schema, value), step);
    value = valueAtPath(value, [step]);
  }
  return schema;
};

/** Returns the keys that the mapping at `path` may contain. */
export const keysAt = (path: Path, scenario: unknown): readonly string[] => {
  const schema = schemaAt(path, scenario);
  return schema === undefined ? [] : keysOf(branchFor(schema, valueAtPath(scenario, path)));
};

/** Returns the kinds of mapping that may be at `path` and that may contain the key `name`. */
export const kindsWithKey = (name: string, path: Path, scenario: unknown): readonly string[] => {
  const schema = schemaAt(path, scenario);
  const branches = schema === undefined ? [] : branchesOf(schema);
  return kindsOf(branches.filter((branch) => keysOf(branch).includes(name)));
};

/** Returns the keys that may be inside each top-level key of a scenario. */
export const nestedKeys = (): readonly { holder: string; keys: readonly string[] }[] => {
  const shape: Readonly<Record<string, Schema>> = scenarioSchema.shape;
  return Object.entries(shape).map(([holder, schema]) => {
    const inside = branchesOf(schema).flatMap((branch) =>
      branch instanceof z.ZodArray ? branchesOf(branch.element) : [branch],
    );
    return { holder, keys: [...new Set(inside.flatMap(keysOf))] };
  });
};

export interface MisspeltKind {
  readonly path: Path;
  readonly word: string;
  readonly kinds: readonly string[];
}

const accepts = (schema: Schema, value: unknown): boolean => {
  if (schema instanceof z.ZodString) return typeof value === 'string';
  if (schema instanceof z.ZodNumber) return typeof value === 'number';
  if (schema instanceof z.ZodBoolean) return typeof value === 'boolean';
  if (schema instanceof z.ZodEnum) return schema.options.some((word) => word === value);
  if (schema instanceof z.ZodLiteral) return schema.values.has(value as never);
  return schema instanceof z.ZodLazy;
};

/**
 * Prepares a filled scenario for the schema. A value from the environment gets the type that the schema expects: `1.0`
 * is text as the name of a model, but a number where a number is expected. The likeliest kind replaces a misspelt
 * `kind`, so that the other problems of the mapping are reported at the same time.
 */
export const prepareForSchema = (
  filled: FilledScenario,
): { readonly value: unknown; readonly misspeltKinds: readonly MisspeltKind[] } => {
  const misspeltKinds: MisspeltKind[] = [];

  const withKnownKind = (
    value: Readonly<Record<string, unknown>>,
    schema: Schema,
    path: Path,
  ): Readonly<Record<string, unknown>> => {
    const word = value['kind'];
    const kinds = kindsOf(branchesOf(schema));
    if (kinds.length < 2 || typeof word !== 'string' || kinds.includes(word)) return value;
    const kind = nearest(word, kinds);
    if (kind === null) return value;
    misspeltKinds.push({ path: [...path, 'kind'], word, kinds });
    return { ...value, kind };
  };

  const prepare = (value: unknown, schema: Schema | undefined, path: Path): unknown => {
    if (schema === undefined) return value;
    const text = filled.environmentValues.get(pathKey(path));
    if (text !== undefined) {
      const branches = branchesOf(schema);
      const readings = [value, text, parseScalar(text)];
      const fitting = readings.findIndex((reading) =>
        branches.some((branch) => accepts(branch, reading)),
      );
      return fitting < 0 ? value : readings[fitting];
    }
    const known = isMapping(value) ? withKnownKind(value, schema, path) : value;
    const branch = branchFor(schema, known);
    return withEachValue(known, (inner, step) =>
      prepare(inner, schemaInside(branch, step), [...path, step]),
    );
  };

  return { value: prepare(filled.tree.value, scenarioSchema, []), misspeltKinds };
};
