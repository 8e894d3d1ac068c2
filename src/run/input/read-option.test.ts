import { expect, it } from 'vitest';
import { readWhole } from './read-option.ts';

it('an option that is a whole number has a least one', () => {
  const read = (text: string): number => readWhole('pairs', text, 3);
  expect(['3', '12', '2e3'].map(read)).toEqual([3, 12, 2000]);
  for (const text of ['2', '3.5', 'x', '', '-4', '1e-3', '1e999'])
    expect(() => read(text)).toThrow(`--pairs: expected a whole number of at least 3; got ${text}`);
  expect(() => read('5k')).toThrow('got 5k; write 5000');
  expect(() => read('1,200')).toThrow(/; got 1,200; write 1200$/);
  expect(() => read('2.0')).toThrow(/; got 2\.0$/);
});
