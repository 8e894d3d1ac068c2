import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { randomJsonValue, readStructuredFormat, structuredValue } from './json-value.ts';

/** Values that were drawn for a schema. */
const valuesOf = (schema: object): readonly unknown[] => {
  const format = readStructuredFormat('schema', schema);
  return Array.from({ length: 20 }, (_, seed) => structuredValue(drawFrom(seed), format));
};

describe('a value by a schema', () => {
  it.each<[object, (value: never) => boolean]>([
    [
      { type: 'string', minLength: 40, maxLength: 42 },
      ({ length }: string) => length >= 40 && length <= 42,
    ],
    [{ type: 'string', maxLength: 2 }, ({ length }: string) => length <= 2],
    [{ type: 'string', pattern: '^[A-Z]{3}$' }, (text: string) => /^[A-Z]{3}$/.test(text)],
    [{ type: 'string', format: 'date' }, (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)],
    [{ type: 'string', format: 'email' }, (text: string) => /^\w+@weir\.example$/.test(text)],
    [{ type: 'string', format: 'date-time' }, (text: string) => !Number.isNaN(Date.parse(text))],
    [{ type: 'integer', minimum: 5, maximum: 6 }, (n: number) => n === 5 || n === 6],
    [{ type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 }, (n: number) => n === 6],
    [{ type: 'integer', multipleOf: 7, minimum: 8 }, (n: number) => n % 7 === 0 && n >= 8],
    [{ type: 'integer', maximum: -3 }, (n: number) => Number.isInteger(n) && n <= -3],
    [{ type: 'number', minimum: 0.25, maximum: 0.5 }, (n: number) => n >= 0.25 && n <= 0.5],
    [{ type: 'number', exclusiveMaximum: -4 }, (n: number) => n < -4],
    [{ type: 'boolean' }, (value: unknown) => typeof value === 'boolean'],
    [{ type: 'null' }, (value: unknown) => value === null],
    [{ enum: ['a', 2] }, (value: unknown) => value === 'a' || value === 2],
    [{ const: { a: [1] } }, (value: unknown) => JSON.stringify(value) === '{"a":[1]}'],
    [
      { type: 'array', minItems: 3, maxItems: 4 },
      ({ length }: readonly unknown[]) => length === 3 || length === 4,
    ],
    [
      { type: 'array', items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true },
      (list: number[]) => new Set(list).size === list.length && list.length === 3,
    ],
    [
      { type: 'array', prefixItems: [{ const: 'a' }, { const: 'b' }], items: false },
      (list: string[]) => list.every((item, i) => item === 'ab'[i]),
    ],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a', 'b'] },
      (value: { a: number; b: unknown }) => Number.isInteger(value.a) && 'b' in value,
    ],
    [{ type: 'object', minProperties: 2 }, (value: object) => Object.keys(value).length >= 2],
    [
      { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1 },
      (value: object) => Object.values(value).every((each) => typeof each === 'boolean'),
    ],
    // The type follows from other keywords.
    [{ properties: { a: { type: 'null' } } }, (value: object) => typeof value === 'object'],
    [{ required: ['x'] }, (value: object) => 'x' in value],
    [{ items: { type: 'null' } }, (value: unknown) => Array.isArray(value)],
    [{ maximum: -1 }, (n: number) => n <= -1],
    [{ minLength: 3 }, (text: string) => text.length >= 3],
    [{ type: ['integer', 'null'] }, (value: unknown) => Number.isInteger(value)],
    [
      { allOf: [{ required: ['a'] }, { properties: { a: { const: 1 } }, required: ['b'] }] },
      (value: { a: number }) => value.a === 1 && 'b' in value,
    ],
    // What comes first is tried first, however long it is.
    [{ anyOf: [{ type: 'object' }, { type: 'null' }] }, (value: unknown) => value !== null],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, (value: unknown) => value === 1 || value === 2],
    [
      {
        oneOf: [
          { type: 'integer', maximum: 3 },
          { type: 'integer', minimum: 2 },
        ],
      },
      (n: number) => n < 2 || n > 3,
    ],
    [
      {
        type: 'object',
        properties: { next: { $ref: '#' }, name: { $ref: '#/$defs/name' } },
        required: ['name'],
        $defs: { name: { const: 'n' } },
      },
      (value: { name: string }) => value.name === 'n',
    ],
  ])('obeys it: %j', (schema, obeys) => {
    for (const value of valuesOf(schema))
      expect([value, obeys(value as never)]).toEqual([value, true]);
  });

  it.each([
    [
      'the only one that no other alternative allows',
      [{ const: 1 }, { const: 1 }, { const: 2 }],
      2,
    ],
    ['of the first alternative', [{ const: 1 }, { enum: [1, 2] }, { const: 2 }], 1],
  ])('is drawn for `oneOf` without its guarantee: %s', (_, oneOf, value) => {
    expect(randomJsonValue(drawFrom(1), { oneOf })).toBe(value);
  });

  it('has optional properties now and then', () => {
    const optional = { type: 'object', properties: { a: { type: 'null' } } };
    const counts = valuesOf(optional).map((value) => Object.keys(value as object).length);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
  });

  it.each([
    [{ type: 'integer', minimum: 5, maximum: 3 }],
    [{ type: 'string', minLength: 20_000 }],
    [{ allOf: [{ const: 1 }, { type: 'string' }] }],
  ])('that nothing obeys is refused: %j', (schema) => {
    expect(() => readStructuredFormat('response_format', schema)).toThrow(
      'Invalid response_format: the reference gateway found no value that obeys it.',
    );
  });
});
