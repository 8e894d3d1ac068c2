import { expect, it } from 'vitest';
import type { Result } from './result.ts';
import { sliceName } from './slice-name.ts';

/** Of a result only what names are made of. */
const sharedBy = (...clocks: readonly (string | undefined)[]) => ({
  slices: clocks.map((clock) => ({ clock })) as unknown as Result['slices'],
});
const second = { index: 1, count: 3 };

it('a process is called a worker if all use one clock', () => {
  expect(sliceName(sharedBy('a', 'a', 'a'), second)).toBe('worker 1/3');
});

it('processes with separate or unknown clocks are called slices', () => {
  expect(sliceName(sharedBy('a', 'b', 'a'), second)).toBe('slice 1/3');
  expect(sliceName(sharedBy(undefined, undefined), second)).toBe('slice 1/3');
});
