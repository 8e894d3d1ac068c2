import type { Draw } from '../model/draw.ts';
import { words } from './words.ts';

/** A part of a JSON Schema, of which only what is known here is looked at. */
type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const between = (draw: Draw, low: number, high: number): number =>
  low + Math.floor(draw.uniform() * (high - low + 1));

const phrase = (draw: Draw): string =>
  Array.from({ length: between(draw, 1, 3) }, () => draw.pick(words)).join(' ');

const integer = (draw: Draw, { minimum, maximum }: Schema): number => {
  const low = Math.ceil(numberOr(minimum, Math.min(0, numberOr(maximum, 0))));
  return between(draw, low, Math.max(low, Math.floor(numberOr(maximum, low + 100))));
};

/** Beyond this depth nothing is put into anything any more: schemas may speak of themselves. */
const deepest = 6;

const objectOf = (draw: Draw, schema: Schema, depth: number): unknown => {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || (depth < deepest && draw.uniform() < 0.5))
      .map(([name, inner]) => [name, jsonValue(draw, inner, depth + 1)]),
  );
};

const arrayOf = (draw: Draw, { items, minItems, maxItems }: Schema, depth: number): unknown => {
  const least = numberOr(minItems, depth < deepest ? 1 : 0);
  const most = Math.max(least, numberOr(maxItems, least + 1));
  const length = depth < deepest ? between(draw, least, most) : least;
  return Array.from({ length }, () => jsonValue(draw, items, depth + 1));
};

const makers: Readonly<Record<string, (draw: Draw, schema: Schema, depth: number) => unknown>> = {
  object: objectOf,
  array: arrayOf,
  integer,
  number: (draw, schema) =>
    Math.min(integer(draw, schema) + 0.5, numberOr(schema['maximum'], Number.POSITIVE_INFINITY)),
  boolean: (draw) => draw.uniform() < 0.5,
  null: () => null,
  string: phrase,
};

/** A value that a JSON Schema allows, drawn evenly; properties that are not required come or do not. What the schema leaves open is a string. */
export const jsonValue = (draw: Draw, schema: unknown, depth = 0): unknown => {
  if (!isSchema(schema)) return phrase(draw);
  const { enum: choices, const: only, type } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0) return draw.pick(choices as unknown[]);
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    return jsonValue(draw, alternatives[0], depth + 1);
  }
  const [name] = Array.isArray(type) ? (type as unknown[]) : [type];
  const make = typeof name === 'string' && Object.hasOwn(makers, name) ? makers[name] : undefined;
  return (make ?? phrase)(draw, schema, depth);
};
