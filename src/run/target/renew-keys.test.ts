import { expect, it } from 'vitest';
import { renewalAge } from './renew-keys.ts';

it.each([
  ['50 minutes', 3_000_000, 2_940_000],
  ['10 minutes', 600_000, 540_000],
  ['20 seconds', 20_000, 18_000],
  ['a second', 1000, 900],
])('a key that lives %s is renewed before it ends', (_, lifetime, age) => {
  expect(renewalAge(lifetime)).toBe(age);
});
