import { expect, it } from 'vitest';
import { lengthFrom } from './rendezvous-options.ts';

it('a length is read as it is given, at least a second or what is asked, and else is the usual one', () => {
  expect(lengthFrom('wait', undefined, 500)).toBe(500);
  expect(lengthFrom('wait', '1s', 500)).toBe(1000);
  expect(() => lengthFrom('wait', '999ms', 500)).toThrow(
    /^--wait: expected .*, at least 1s; got 999ms/,
  );
  expect(lengthFrom('silence', '2s', 500, 2000)).toBe(2000);
  expect(() => lengthFrom('silence', '1999ms', 500, 2000)).toThrow(/at least 2s; got 1999ms/);
});
