import { describe, expect, it } from 'vitest';
import { compileJsonSchema, type SchemaTest } from './json-schema.ts';

const compiled = (schema: boolean | object): SchemaTest => {
  const test = compileJsonSchema(schema);
  if (typeof test === 'string') throw new Error(test);
  return test;
};

/** A pair of a text and a number, as draft 7 writes it. */
const pair = { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false };

describe('a JSON Schema', () => {
  it.each(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema'])(
    'is read by the rules of draft 7 if it names %s',
    ($schema) => {
      const test = compiled({ $schema, ...pair });
      expect(test(['a', 1])).toBeNull();
      expect(test(['a', 1, 2])).toBe('it must NOT have more than 2 items');
      expect(test([1, 1])).toBe('/0 must be string');
    },
  );

  it('is read by the rules of 2020-12 if it names no draft', () => {
    const test = compiled({ prefixItems: pair.items, items: false });
    expect(test(['a', 1])).toBeNull();
    expect(test(['a', 1, 2])).toBe('it must NOT have more than 2 items');
  });

  it('may be true or false', () => {
    expect(compiled(true)(5)).toBeNull();
    expect(compiled(false)(5)).toBe('it boolean schema is false');
  });

  it('checks formats, and never quotes the value', () => {
    const test = compiled({ properties: { at: { type: 'string', format: 'date' } } });
    expect(test({ at: '2026-07-01' })).toBeNull();
    expect(test({ at: 'secret' })).toBe('/at must match format "date"');
  });

  it('that is wrong is a text', () => {
    expect(compileJsonSchema({ type: 'texte' })).toMatch(/^schema is invalid: /);
    expect(compileJsonSchema({ $async: true })).toBe('the keyword "$async" is not supported');
  });
});
