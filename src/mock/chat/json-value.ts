import type { Draw } from '../../model/workload/draw.ts';
import { commonWords } from './common-words.ts';

/** A part of a JSON Schema; unknown keywords are ignored. */
type JsonSchemaPart = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is JsonSchemaPart =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const randomIntegerBetween = (draw: Draw, low: number, high: number): number =>
  low + Math.floor(draw.uniform() * (high - low + 1));

const randomPhrase = (draw: Draw): string =>
  Array.from({ length: randomIntegerBetween(draw, 1, 3) }, () => draw.pick(commonWords)).join(' ');

const randomInteger = (draw: Draw, { minimum, maximum }: JsonSchemaPart): number => {
  const low = Math.ceil(numberOr(minimum, Math.min(0, numberOr(maximum, 0))));
  return randomIntegerBetween(draw, low, Math.max(low, Math.floor(numberOr(maximum, low + 100))));
};

type Generator = (draw: Draw, schema: JsonSchemaPart, depth: number) => unknown;

/** Below this depth objects and arrays stay as empty as allowed, since schemas may be recursive. */
const maxDepth = 6;

const randomObject: Generator = (draw, { properties, required }, depth) => {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(isSchema(properties) ? properties : {})
      .filter(([name]) => needed.includes(name) || (depth < maxDepth && draw.uniform() < 0.5))
      .map(([name, inner]) => [name, randomJsonValue(draw, inner, depth + 1)]),
  );
};

const randomArray: Generator = (draw, { items, minItems, maxItems }, depth) => {
  const minLength = numberOr(minItems, depth < maxDepth ? 1 : 0);
  const maxLength = Math.max(minLength, numberOr(maxItems, minLength + 1));
  const length = depth < maxDepth ? randomIntegerBetween(draw, minLength, maxLength) : minLength;
  return Array.from({ length }, () => randomJsonValue(draw, items, depth + 1));
};

const generators: Readonly<Record<string, Generator>> = {
  object: randomObject,
  array: randomArray,
  integer: randomInteger,
  number: (draw, schema) =>
    Math.min(randomInteger(draw, schema) + 0.5, numberOr(schema['maximum'], Infinity)),
  boolean: (draw) => draw.uniform() < 0.5,
  null: () => null,
  string: randomPhrase,
};

/** Draws a value that a JSON Schema allows, with or without its optional properties; a string if the schema names no type. */
export const randomJsonValue = (draw: Draw, schema: unknown, depth = 0): unknown => {
  if (!isSchema(schema)) return randomPhrase(draw);
  const { enum: choices, const: only, type } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0) return draw.pick(choices as unknown[]);
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    return randomJsonValue(draw, alternatives[0], depth + 1);
  }
  const [name] = Array.isArray(type) ? (type as unknown[]) : [type];
  const generate =
    typeof name === 'string' && Object.hasOwn(generators, name) ? generators[name] : undefined;
  return (generate ?? randomPhrase)(draw, schema, depth);
};
