import { expect, it } from 'vitest';
import { jsonIn } from './json-text.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it('a JSON document is read, and any other text gives undefined', () => {
  expect(jsonIn('{"a": [1, "]"]}')).toEqual({ a: [1, ']'] });
  expect([jsonIn(''), jsonIn('{'), jsonIn('text')]).toEqual([undefined, undefined, undefined]);
});

it('a document may nest 500 levels, and no more', () => {
  expect(jsonIn(nested(500))).toBeDefined();
  expect(jsonIn(nested(501))).toBeUndefined();
  expect(jsonIn('['.repeat(8_000_000))).toBeUndefined();
});

it('brackets in strings do not nest', () => {
  const text = JSON.stringify({ text: `\\"${'['.repeat(2000)}\\`, more: [[1]] });
  expect(jsonIn(text)).toEqual(JSON.parse(text));
});

it('the maximum number of values counts commas outside strings only', () => {
  const values = JSON.stringify(Array.from({ length: 1000 }, (_, index) => `${index},`));
  expect(jsonIn(values, 999)).toHaveLength(1000);
  expect(jsonIn(values, 998)).toBeUndefined();
  expect(jsonIn(values)).toHaveLength(1000);
});
