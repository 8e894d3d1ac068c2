// @gate 1 s
import formatsPlugin from 'ajv-formats';
import * as fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tries } from '../../model/tries.fixture.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { randomJsonValue, readStructuredFormat, structuredValue } from './json-value.ts';

const ajv = new Ajv2020({ strict: false });
formatsPlugin.default(ajv);

/** What a validator by others says of a value that was drawn for a schema. */
const faultOf = (schema: object, seed: number): string | null => {
  const value = structuredValue(drawFrom(seed), readStructuredFormat('schema', schema));
  const { $schema: _, ...plain } = schema as Record<string, unknown>;
  const validate = ajv.compile(plain);
  return validate(value) ? null : `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`;
};

const faultsOf = (schema: object): readonly (string | null)[] =>
  Array.from({ length: 30 }, (_, seed) => faultOf(schema, seed)).filter((fault) => fault !== null);

const bounds = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: 0, max: most - least }))
    .map(([low, width]) => [low, Math.min(most, low + width)] as const);

const text = fc.oneof(
  fc.constant({ type: 'string' }),
  bounds(0, 90).map(([minLength, maxLength]) => ({ type: 'string', minLength, maxLength })),
  fc
    .constantFrom(...'date date-time duration email hostname ipv4 ipv6 time uri uuid'.split(' '))
    .map((format) => ({ type: 'string', format })),
);
const number = fc.oneof(
  fc.constantFrom({ type: 'number' }, { type: 'integer' }, { type: 'integer', multipleOf: 5 }),
  bounds(-50, 50).map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum })),
  bounds(-50, 50).map(([minimum, maximum]) => ({
    type: 'number',
    minimum: minimum / 8,
    maximum: maximum / 8,
  })),
  bounds(-50, 50).map(([low, high]) => ({
    type: 'integer',
    exclusiveMinimum: low,
    exclusiveMaximum: high + 2,
  })),
  bounds(-50, 50).map(([low, high]) => ({
    type: 'number',
    exclusiveMinimum: low / 8,
    exclusiveMaximum: high / 8 + 0.1,
  })),
  fc.integer({ min: 1, max: 9 }).map((n) => ({ type: 'number', multipleOf: n / 4, minimum: n })),
  fc.integer({ min: -9, max: 9 }).map((most) => ({ type: 'integer', maximum: most })),
  fc.integer({ min: -9, max: 9 }).map((most) => ({ type: 'number', exclusiveMaximum: most })),
);
const plain = fc.oneof(
  text,
  number,
  fc.constantFrom(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['integer', 'null'] },
    { const: { a: [1] } },
    { enum: ['a', 2, null] },
    {},
    true,
    { title: 'T', description: 'd', default: 1, type: 'string' },
  ),
);
const name = fc.constantFrom('a', 'b', 'c', 'long name');

const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    fc
      .tuple(fc.dictionary(name, tie('schema'), { maxKeys: 4 }), fc.array(name), fc.boolean())
      .map(([properties, wanted, isClosed]) => ({
        type: 'object',
        properties,
        required: [...new Set(wanted)].filter(
          (each) => !isClosed || Object.hasOwn(properties, each),
        ),
        ...(isClosed ? { additionalProperties: false } : {}),
      })),
    fc
      .tuple(tie('schema'), bounds(0, 4))
      .map(([items, [minItems, maxItems]]) => ({ type: 'array', items, minItems, maxItems })),
    fc
      .array(tie('schema'), { minLength: 1, maxLength: 3 })
      .map((prefixItems) => ({ type: 'array', prefixItems, items: false })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.tuple(name, tie('schema')).map(([key, inner]) => ({
      type: 'object',
      additionalProperties: inner,
      required: [key],
      minProperties: 2,
    })),
  ),
}));

/** Every schema has the next one twice. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => {
    const $ref = `#/$defs/a${n + 1}`;
    return [`a${n}`, n === 39 ? { type: 'string' } : { allOf: [{ $ref }, { $ref }] }];
  }),
);
const manyParts = Array.from({ length: 2_001 }, (_, n) => ({ minLength: n }));

describe('an answer by a schema', () => {
  it('obeys it, by a validator of others', () => {
    fc.assert(
      fc.property(schema, fc.nat(), (root, seed) => {
        fc.pre(typeof root === 'object');
        expect(faultOf(root, seed)).toBeNull();
      }),
      { numRuns: tries(400) },
    );
  });

  it('obeys the schemas that clients write', () => {
    // As pydantic writes a model with an optional field, an enum, a list of models and itself.
    expect(
      faultsOf({
        $defs: {
          Colour: { enum: ['red', 'green'], title: 'Colour', type: 'string' },
          Node: {
            properties: {
              name: { title: 'Name', type: 'string', maxLength: 5 },
              next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }], default: null },
            },
            required: ['name', 'next'],
            title: 'Node',
            type: 'object',
            additionalProperties: false,
          },
        },
        properties: {
          colour: { $ref: '#/$defs/Colour' },
          nodes: { items: { $ref: '#/$defs/Node' }, minItems: 2, type: 'array' },
          score: { exclusiveMinimum: 0, maximum: 1, title: 'Score', type: 'number' },
          tags: { items: { enum: ['a', 'b', 'c'] }, type: 'array', uniqueItems: true, minItems: 2 },
          more: { allOf: [{ $ref: '#/$defs/Colour' }], description: 'a' },
          counts: { additionalProperties: { type: 'integer' }, type: 'object' },
        },
        required: ['colour', 'nodes', 'score', 'tags', 'more', 'counts'],
        title: 'Answer',
        type: 'object',
      }),
    ).toEqual([]);
    const shape = z.object({
      email: z.email(),
      at: z.iso.datetime(),
      id: z.uuid(),
      kind: z.discriminatedUnion('type', [
        z.object({ type: z.literal('a'), n: z.int().min(3) }),
        z.object({ type: z.literal('b'), list: z.array(z.string()).length(2) }),
      ]),
      pair: z.tuple([z.string(), z.number()]),
    });
    expect(faultsOf(z.toJSONSchema(shape))).toEqual([]);
    expect(faultsOf({ oneOf: [{ type: 'integer' }, { type: 'number' }] })).toEqual([]);
    expect(faultsOf({ type: 'string', pattern: '^[A-Z]{3}$' })).toEqual([]);
    expect(faultsOf({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'boolean' } } })).toEqual([]);
  });

  it('may be by a schema that has the name of another', () => {
    const $id = 'https://weir.example/schema';
    expect(readStructuredFormat('schema', { $id, const: 1 }).sample).toBe(1);
    expect(readStructuredFormat('schema', { $id, const: 2 }).sample).toBe(2);
  });

  it('need not obey a schema that only validators with promises read', () => {
    const list = [{ $async: true, type: 'integer' }, { type: 'string' }];
    expect(randomJsonValue(drawFrom(1), { oneOf: list })).toBeTypeOf('string');
  });

  it('ends where the schema may contain itself for ever', () => {
    expect(
      faultsOf({
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#' } }, self: { $ref: '#' } },
        required: ['children'],
      }),
    ).toEqual([]);
  });

  it.each([
    [{ not: { type: 'string' } }, 'the schema: the keyword "not" is not supported'],
    [
      { type: 'object', properties: { a: { patternProperties: {} } } },
      'properties.a: the keyword "patternProperties" is not supported',
    ],
    [{ type: 'string', format: 'iri' }, 'the schema: the format "iri" is not supported'],
    [
      { type: 'array', items: { $ref: '#/$defs/a' } },
      'items: the reference "#/$defs/a" is not to a part of the schema',
    ],
    [{ $ref: 'https://a.example/b' }, 'is not to a part of the schema'],
    [{ type: 'object', properties: { a: 5 } }, 'properties.a: expected a schema'],
    [{ type: 'string', pattern: '^weir-[0-9]{7}$' }, 'found no value that obeys it'],
    [{ type: 'integer', minimum: 5, maximum: 4 }, 'found no value that obeys it'],
    [{ type: 'object', properties: { a: false }, required: ['a'] }, 'found no value'],
    [{ type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }, 'found no value'],
    [
      {
        type: 'object',
        properties: { a: { $ref: '#' }, b: { $ref: '#' }, c: { $ref: '#' } },
        required: ['a', 'b', 'c'],
      },
      'found no value',
    ],
    [{ anyOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] }, 'found no value'],
    [{ type: 'strange' }, 'found no value that obeys it'],
    [{ type: '__defineGetter__' }, 'found no value that obeys it'],
    [{ $ref: '#/%' }, 'the reference "#/%" is not to a part of the schema'],
    [{ type: 'string', minLength: -5, maxLength: -1 }, 'found no value that obeys it'],
    [{ type: 'string', minLength: 1e12 }, 'found no value that obeys it'],
    [{ type: 'array', minItems: 1e12 }, 'found no value that obeys it'],
    [{ type: 'array', minItems: 1e5, uniqueItems: true }, 'found no value that obeys it'],
    [{ type: 'array', maxItems: -1 }, 'found no value that obeys it'],
    [{ type: 'object', minProperties: 1e12 }, 'found no value that obeys it'],
    [{ $ref: '#/$defs/a0', $defs: doubling }, 'found no value that obeys it'],
    [{ anyOf: manyParts }, 'found no value that obeys it'],
    [{ type: 'string', pattern: '[' }, 'found no value that obeys it'],
    [undefined, 'the schema: expected a schema'],
  ])('is refused for %j', (refused, message) => {
    expect(() => readStructuredFormat('schema', refused)).toThrow(message);
  });
});
