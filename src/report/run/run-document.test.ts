import { expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { slicesText } from './run-document.ts';

const [slice] = sampleRunResult().slices;
const ofClocks = (...clocks: readonly (string | undefined)[]) => ({
  slices: clocks.map((clock) => ({ ...slice!, clock })),
});

it.each([
  ['one alone', [undefined], []],
  ['slices of different processes', [undefined, undefined], ['2 slices']],
  ['the workers of one process', ['a', 'a', 'a'], ['3 workers']],
  ['the workers of two', ['a', 'a', 'b', 'b'], ['4 slices']],
])('names the senders: %s', (_, clocks, expected) => {
  expect(slicesText(ofClocks(...clocks))).toEqual(expected);
});
