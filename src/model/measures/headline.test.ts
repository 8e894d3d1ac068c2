import { expect, it } from 'vitest';
import { percentileName } from './headline.ts';

it.each([
  [0.05, 'p5'],
  [0.29, 'p29'],
  [0.5, 'p50'],
  [0.999, 'p99.9'],
  [0.99999, 'p99.999'],
])('the percentile %d is %s', (q, name) => {
  expect(percentileName(q)).toBe(name);
});
