import formatsPlugin from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { partTestOf, referencedSchema, sortedJson, unsupportedIn } from './json-schema.ts';
import { randomJsonValue } from './json-value.ts';

describe('a reference', () => {
  const root = { a: { 'b/c': { 'd~e': 1 } }, list: [{ x: 2 }], none: null };
  it.each([
    ['#', root],
    ['#/a', root.a],
    ['#/a/b~1c', root.a['b/c']],
    ['#/a/b~1c/d~0e', 1],
    ['#/a/b%2Fc', root.a['b/c']],
    ['#/list/0/x', 2],
    ['#/none/x', undefined],
    ['#/toString', undefined],
    ['#/a/%', undefined],
    ['#a', undefined],
    ['x#/a', undefined],
    [5, undefined],
  ])('%j is to a part of the schema, or to nothing', (reference, part) => {
    expect(referencedSchema(reference, root)).toBe(part);
  });
});

describe('what of a schema is not understood', () => {
  it.each([
    [
      { type: 'object', properties: { a: { items: { oneOf: [{ not: {} }] } } } },
      'properties.a.items.oneOf.0',
    ],
    [{ additionalProperties: { $defs: { x: { if: true } } } }, 'additionalProperties.$defs.x'],
    [{ allOf: [true, { anyOf: [{ contains: {} }] }] }, 'allOf.1.anyOf.0'],
    [{ definitions: { x: { prefixItems: [{ else: {} }] } } }, 'definitions.x.prefixItems.0'],
  ])('has a place: %j', (schema, place) => {
    expect(unsupportedIn(schema)).toMatch(/: the keyword ".*" is not supported$/);
    expect(unsupportedIn(schema)?.split(':')[0]).toBe(place);
  });

  it.each([
    [{ $ref: '#/x' }, 'the schema: the reference "#/x" is not to a part of the schema'],
    [{ items: { $ref: 5 } }, 'items: the reference 5 is not to a part of the schema'],
    [{ format: 'iri' }, 'the schema: the format "iri" is not supported'],
    [{ items: null }, 'items: expected a schema'],
    [{ anyOf: [5] }, 'anyOf.0: expected a schema'],
    [[], 'the schema: expected a schema'],
    [{ anyOf: null, properties: 5 }, null],
    [{ items: { $ref: '#/$defs/a' }, $defs: { a: false } }, null],
    [true, null],
  ])('of %j is: %s', (schema, problem) => {
    expect(unsupportedIn(schema)).toBe(problem);
  });
});

it('equal values have the same JSON, whatever the order of their members', () => {
  expect(sortedJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  expect(sortedJson([2, 1])).toBe('[2,1]');
});

describe('a value of a schema', () => {
  const fits = (schema: object | boolean, value: unknown, part: unknown = schema) =>
    partTestOf(schema)(value, part);

  it('is tested with the references of the whole schema', () => {
    const schema = { $ref: '#/$defs/n', $defs: { n: { type: 'integer', minimum: 3 } } };
    expect([fits(schema, 3), fits(schema, 2), fits(schema, 'x')]).toEqual([true, false, false]);
    expect(fits(schema, [3, 4], { items: { $ref: '#/$defs/n' } })).toBe(true);
    expect(fits(schema, [3, 1], { items: { $ref: '#/$defs/n' } })).toBe(false);
    expect([fits(schema, 3, true), fits(schema, 3, false)]).toEqual([true, false]);
  });

  it('may be in a recursive one, as deep as 64', () => {
    const list = {
      type: 'object',
      properties: { next: { $ref: '#' } },
      additionalProperties: false,
    };
    const nested = (depth: number): object => (depth === 0 ? {} : { next: nested(depth - 1) });
    expect([fits(list, nested(64)), fits(list, nested(65))]).toEqual([true, false]);
    expect(fits(list, { next: { other: 1 } })).toBe(false);
  });

  it('is tested in the same way once 64 other schemas were, too', () => {
    const schema = (n: number) => ({ const: n });
    const first = partTestOf(schema(0));
    expect(partTestOf(schema(0))).toBe(first);
    for (let n = 1; n < 64; n += 1) partTestOf(schema(n));
    expect(partTestOf(schema(0))).toBe(first);
    for (let n = 1; n <= 64; n += 1) partTestOf(schema(n));
    expect(partTestOf(schema(0))).not.toBe(first);
    expect(partTestOf(schema(0))(0, schema(0))).toBe(true);
    const long = { const: 'x'.repeat(65_536) };
    expect(partTestOf(long)).not.toBe(partTestOf(long));
  });

  const ajv = new Ajv2020({ strict: false });
  formatsPlugin.default(ajv);
  it.each('date date-time duration email hostname ipv4 ipv6 time uri uuid'.split(' '))(
    'of the format %s has it, for validators of others, and differs between draws',
    (format) => {
      const validate = ajv.compile({ type: 'string', format });
      const values = Array.from({ length: 20 }, (_, seed) =>
        randomJsonValue(drawFrom(seed), { type: 'string', format }),
      );
      expect(values.filter((value) => !validate(value))).toEqual([]);
      expect(new Set(values).size).toBeGreaterThan(4);
    },
  );
});
