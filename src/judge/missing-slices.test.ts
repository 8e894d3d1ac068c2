import { describe, expect, it } from 'vitest';
import { missingSlices } from './missing-slices.ts';
import { sampleResult, sampleSlice } from './sample-result.ts';

const withSlices = (count: number, indices: readonly number[]) =>
  sampleResult({ slices: indices.map((index) => sampleSlice([], { index, count })) });

describe('missing slices', () => {
  it.each([
    [1, [0], []],
    [3, [0, 1, 2], []],
    [3, [1], [0, 2]],
    [4, [0, 3], [1, 2]],
  ])('of %i with %j there are %j', (count, present, missing) => {
    expect(missingSlices(withSlices(count, present))).toEqual(missing);
  });
});
