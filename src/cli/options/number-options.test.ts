import { expect, it } from 'vitest';
import { numbersFrom } from './number-options.ts';

it('a list of numbers has each of them once, and may be absent', () => {
  expect(numbersFrom('streams', '50,10,50', [1, 20_000])).toEqual([50, 10]);
  expect(numbersFrom('streams', undefined, [1, 20_000])).toBeNull();
});

it.each(['0', '1.5', 'many', '100,', '20001'])(
  'reports what it expected instead of %s',
  (streams) => {
    expect(() => numbersFrom('streams', streams, [1, 20_000])).toThrow(
      `--streams: expected whole numbers from 1 to 20000, separated by commas; got ${streams}`,
    );
  },
);
