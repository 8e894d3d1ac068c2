import { expect, it } from 'vitest';
import type { Result } from './result.ts';
import { sliceName } from './slice-name.ts';

/** Of a result only what names are made of. */
const sharedBy = (...clocks: readonly (string | undefined)[]) => ({
  slices: clocks.map((clock) => ({ clock })) as unknown as Result['slices'],
});
const second = { index: 1, count: 3 };

it('a worker is called one where all count by one clock', () => {
  expect(sliceName(sharedBy('a', 'a', 'a'), second)).toBe('worker 1/3');
});

it('slices with clocks of their own, or with none that is told, are slices', () => {
  expect(sliceName(sharedBy('a', 'b', 'a'), second)).toBe('slice 1/3');
  expect(sliceName(sharedBy(undefined, undefined), second)).toBe('slice 1/3');
});
