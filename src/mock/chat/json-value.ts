import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { commonWords } from './tokens.ts';
import {
  isSchema,
  type JsonSchema,
  referencedSchema,
  partTestOf,
  type PartTest,
  sortedJson,
  unsupportedIn,
} from './json-schema.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';

/**
 * The inputs of the generation of values: the source of random numbers, the schema `root` to which references refer,
 * and a test that decides whether a value conforms to a part of the schema.
 */
interface Generation {
  readonly draw: Draw;
  readonly root: unknown;
  readonly obeys: PartTest;
  /** The number of further steps through the schema. Some schemas branch without end, so the number is limited. */
  stepsLeft: number;
}

const maxSteps = 10_000;
/** The maximum depth of generated values. Without a maximum, a schema that contains itself would never end. */
const maxSchemaDepth = 64;

type Generator = (from: Generation, schema: JsonSchema, depth: number) => unknown;

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/**
 * Texts have at most this many characters, and arrays and objects this many items or properties. A schema that requires
 * more is refused.
 */
const maxSize = 10_000;

const sizeOr = (value: unknown, otherwise: number): number =>
  Math.min(maxSize, Math.max(0, numberOr(value, otherwise)));

/** Returns a minimum size. A size above `maxSize` becomes 0, since no generated value could have this size. */
const leastSizeOr = (value: unknown, otherwise: number): number => {
  const least = Math.max(0, numberOr(value, otherwise));
  return least > maxSize ? 0 : least;
};

const randomIntegerBetween = (draw: Draw, low: number, high: number): number =>
  low + Math.floor(draw.uniform() * (high - low + 1));

const randomPhrase = (draw: Draw): string =>
  Array.from({ length: randomIntegerBetween(draw, 1, 3) }, () => draw.pick(commonWords)).join(' ');

const twoDigits = (n: number): string => String(n).padStart(2, '0');

const someDigit = (draw: Draw): number => randomIntegerBetween(draw, 1, 9);

const randomDate = (draw: Draw): string => `2026-${twoDigits(someDigit(draw))}-14`;
const randomTime = (draw: Draw): string => `${twoDigits(someDigit(draw))}:30:00Z`;

const formats: Readonly<Record<string, (draw: Draw) => string>> = {
  date: randomDate,
  time: randomTime,
  'date-time': (draw) => `${randomDate(draw)}T${randomTime(draw)}`,
  duration: (draw) => `PT${someDigit(draw)}M`,
  email: (draw) => `${draw.pick(commonWords)}@weir.example`,
  hostname: (draw) => `${draw.pick(commonWords)}.weir.example`,
  uri: (draw) => `https://weir.example/${draw.pick(commonWords)}`,
  ipv4: (draw) => `192.0.2.${someDigit(draw)}`,
  ipv6: (draw) => `2001:db8::${someDigit(draw)}`,
  uuid: (draw) => `0190a3b4-c5d6-4e7f-8a9b-0c1d2e3f4a5${someDigit(draw)}`,
};

/** The keywords that restrict a text or a number in addition to the type. */
const demands =
  'minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(
    ' ',
  );

/**
 * Returns the first candidate that conforms to those `demands` that the schema contains. If no candidate conforms,
 * returns the first candidate.
 */
const fitting = <T>(candidates: readonly T[], schema: JsonSchema, obeys: PartTest): T => {
  const demanded = demands.filter((name) => schema[name] !== undefined);
  if (demanded.length === 0) return candidates[0]!;
  const bounds = Object.fromEntries(demanded.map((name) => [name, schema[name]]));
  return candidates.find((candidate) => obeys(candidate, bounds)) ?? candidates[0]!;
};

/**
 * The texts that are tried if a drawn text does not conform, for example to a pattern. Most patterns require digits and
 * capitals, so these texts contain both.
 */
const shortTexts = ['a', '1', 'A', 'a1', 'A1', '12', '123', '1234', '123456', 'AB', 'ABC', 'abc'];

const randomText: Generator = ({ draw, obeys }, schema) => {
  const { format, minLength, maxLength } = schema;
  const make = Object.hasOwn(formats, String(format)) ? formats[String(format)] : undefined;
  const text = (make ?? randomPhrase)(draw);
  const least = leastSizeOr(minLength, 0);
  const padded = `${text} `.repeat(Math.ceil(least / text.length)).trim();
  const long = padded.padEnd(least, 'a').slice(0, Math.max(least, sizeOr(maxLength, maxSize)));
  return fitting([text, long, ...shortTexts], schema, obeys);
};

const randomMultiple = (draw: Draw, schema: JsonSchema, step: number): number => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const least = numberOr(minimum, numberOr(exclusiveMinimum, Math.min(0, numberOr(maximum, 0))));
  const low = Math.ceil(least / step) + (least === exclusiveMinimum && least % step === 0 ? 1 : 0);
  const most = numberOr(maximum, numberOr(exclusiveMaximum, (low + 100) * step));
  const high = Math.floor(most / step);
  return randomIntegerBetween(draw, low, Math.max(low, high)) * step;
};

const randomInteger: Generator = ({ draw, obeys }, schema) => {
  const step = numberOr(schema['multipleOf'], 1);
  const drawn = randomMultiple(draw, schema, Number.isInteger(step) ? step : 1);
  const high = numberOr(schema['exclusiveMaximum'], drawn + 1);
  return fitting([drawn, Math.ceil(high) - 1], schema, obeys);
};

const randomNumber: Generator = ({ draw, obeys }, schema) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof multipleOf === 'number') return randomMultiple(draw, schema, multipleOf);
  const drawn = Math.min(randomMultiple(draw, schema, 1) + 0.5, numberOr(maximum, Infinity));
  const low = numberOr(minimum, numberOr(exclusiveMinimum, drawn - 1));
  const high = numberOr(maximum, numberOr(exclusiveMaximum, low + 1));
  return fitting([drawn, (low + high) / 2, high - 0.5], schema, obeys);
};

/** From this depth on, objects and arrays are as empty as the schema allows, since a schema may contain itself. */
const maxDepth = 6;

const randomObject: Generator = (from, schema, depth) => {
  const { properties, required, additionalProperties, minProperties } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const named = isSchema(properties) ? properties : {};
  const entries = Object.entries(named)
    .filter(([name]) => needed.includes(name) || (depth < maxDepth && from.draw.uniform() < 0.5))
    .map(([name, inner]) => [name, valueOf(from, inner, depth + 1)] as const);
  const fillers = Array.from({ length: leastSizeOr(minProperties, 0) }, (_, n) => `key${n + 1}`);
  const missing = [
    ...needed.filter((name) => typeof name === 'string'),
    ...fillers.slice(0, Math.max(0, fillers.length - entries.length)),
  ].filter((name) => !Object.hasOwn(named, name));
  const others = missing.map(
    (name) => [name, valueOf(from, additionalProperties, depth + 1)] as const,
  );
  return Object.fromEntries([...entries, ...others]);
};

/** The maximum number of items in addition to the required items. */
const maxFurtherItems = 20;
/** The maximum number of times that a duplicate item is drawn again. */
const maxRedraws = 20;

const randomArray: Generator = (from, { items, prefixItems, uniqueItems, ...bounds }, depth) => {
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const least = leastSizeOr(bounds['minItems'], depth < maxDepth ? 1 : 0);
  const minLength = Math.max(least, Math.min(first.length, sizeOr(bounds['maxItems'], maxSize)));
  const most = Math.min(sizeOr(bounds['maxItems'], minLength + 1), minLength + maxFurtherItems);
  const maxLength = items === false ? minLength : Math.max(minLength, most);
  const length =
    depth < maxDepth ? randomIntegerBetween(from.draw, minLength, maxLength) : minLength;
  const list: unknown[] = [];
  const redraws = uniqueItems === true ? maxRedraws : 0;
  const known = new Set<string>();
  for (let index = 0; index < length; index += 1) {
    const schema = index < first.length ? first[index] : items;
    let item = valueOf(from, schema, depth + 1);
    for (let n = 0; n < redraws && known.has(sortedJson(item)); n += 1)
      item = valueOf(from, schema, depth + 1);
    if (redraws > 0) known.add(sortedJson(item));
    list.push(item);
  }
  return list;
};

const generators: Readonly<Record<string, Generator>> = {
  object: randomObject,
  array: randomArray,
  integer: randomInteger,
  number: randomNumber,
  boolean: ({ draw }) => draw.uniform() < 0.5,
  null: () => null,
  string: randomText,
};

/** Returns the type that the keywords imply for a schema without a type. */
const impliedType = (schema: JsonSchema): string => {
  const has = (...names: readonly string[]): boolean =>
    names.some((name) => schema[name] !== undefined);
  if (has('properties', 'required', 'additionalProperties')) return 'object';
  if (has('items', 'prefixItems')) return 'array';
  return has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum') ? 'number' : 'string';
};

/**
 * Joins two schemas into one schema with the requirements of both. If both schemas have a keyword other than
 * `properties` or `required`, the value of the second schema counts.
 */
const merged = (one: JsonSchema, other: JsonSchema): JsonSchema => {
  const both = { ...one, ...other };
  const { properties, required } = one;
  if (isSchema(properties) && isSchema(other['properties']))
    both['properties'] = { ...properties, ...other['properties'] };
  if (Array.isArray(required) && Array.isArray(other['required']))
    both['required'] = [...(required as unknown[]), ...(other['required'] as unknown[])];
  return both;
};

const isPlain = (schema: unknown): boolean =>
  isSchema(schema) && typeof schema['type'] === 'string' && !/object|array/.test(schema['type']);

/**
 * Draws a value that conforms to one of several schemas. If `isExclusive` is true, the value must not conform to any
 * other of these schemas.
 */
const alternativeValue = (
  from: Generation,
  { rest, list, isExclusive }: { rest: JsonSchema; list: readonly unknown[]; isExclusive: boolean },
  depth: number,
): unknown => {
  const usable = list.map((each) => merged(rest, isSchema(each) ? each : {}));
  // At `maxDepth` and deeper, schemas without inner values are tried first.
  const order = depth < maxDepth ? usable : usable.toSorted((a, b) => +isPlain(b) - +isPlain(a));
  let first: unknown = null;
  for (const [index, schema] of order.entries()) {
    const value = valueOf(from, schema, depth + 1);
    if (!isExclusive || list.filter((each) => from.obeys(value, each)).length === 1) return value;
    if (index === 0) first = value;
  }
  return first;
};

/**
 * Joins a schema with the schemas that it references or lists in `allOf`. A schema without such schemas is returned
 * unchanged.
 */
const withFurther = (schema: JsonSchema, root: unknown): JsonSchema => {
  const { $ref, allOf, ...rest } = schema;
  const further = [
    ...($ref === undefined ? [] : [referencedSchema($ref, root)]),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
  ].filter(isSchema);
  return further.length === 0 ? schema : further.reduce(merged, rest);
};

const typedValue = (from: Generation, schema: JsonSchema, depth: number): unknown => {
  const { type } = schema;
  const [name] = Array.isArray(type) ? (type as unknown[]) : [type ?? impliedType(schema)];
  const generate = Object.hasOwn(generators, String(name)) ? generators[String(name)] : undefined;
  return (generate ?? randomText)(from, schema, depth);
};

const valueOf = (from: Generation, written: unknown, depth: number): unknown => {
  const { draw, root } = from;
  if (!isSchema(written)) return randomPhrase(draw);
  from.stepsLeft -= 1;
  if (depth > maxSchemaDepth || from.stepsLeft < 0) return null;
  const schema = withFurther(written, root);
  if (schema !== written) return valueOf(from, schema, depth + 1);
  const { enum: choices, const: only, anyOf, oneOf, ...rest } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0) return draw.pick(choices as unknown[]);
  const list: unknown = anyOf ?? oneOf;
  if (!Array.isArray(list) || list.length === 0) return typedValue(from, schema, depth);
  return alternativeValue(from, { rest, list, isExclusive: anyOf === undefined }, depth);
};

/**
 * Draws a value that a JSON Schema allows. If `unsupportedIn` reports a part of the schema, the value need not conform
 * to this part.
 */
export const randomJsonValue = (draw: Draw, root: unknown, known?: PartTest): unknown => {
  // The test is compiled only when it is first needed.
  let test = known;
  const obeys: PartTest = (value, part) => (test ??= partTestOf(root))(value, part);
  return valueOf({ draw, root, obeys, stepsLeft: maxSteps }, root, 0);
};

/** A schema to which answers must conform, and one value that conforms to the schema. */
export interface StructuredFormat {
  readonly schema: unknown;
  readonly obeys: PartTest;
  readonly sample: unknown;
}

const maxAttempts = 8;

/** Draws values until one conforms to the schema. Returns `otherwise` if none of `maxAttempts` values conforms. */
const findValue = (draw: Draw, schema: unknown, obeys: PartTest, otherwise: unknown): unknown => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const value = randomJsonValue(draw, schema, obeys);
    if (obeys(value, schema)) return value;
  }
  return otherwise;
};

/**
 * Reads a schema to which answers must conform. Refuses the request if the gateway cannot guarantee that answers
 * conform.
 */
export const readStructuredFormat = (place: string, schema: unknown): StructuredFormat => {
  const refusal = (problem: string): RequestRefusal =>
    new RequestRefusal('invalid-parameter', `Invalid ${place}: ${problem}.`);
  const problem = unsupportedIn(schema);
  if (problem !== null) throw refusal(problem);
  const obeys = partTestOf(schema);
  const none = Symbol('no value');
  const sample = findValue(drawFrom(1), schema, obeys, none);
  if (sample !== none) return { schema, obeys, sample };
  throw refusal('the reference gateway found no value that obeys it');
};

export const structuredValue = (draw: Draw, { schema, obeys, sample }: StructuredFormat): unknown =>
  findValue(draw, schema, obeys, sample);
