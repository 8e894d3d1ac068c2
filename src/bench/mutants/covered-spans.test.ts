import { expect, it } from 'vitest';
import { coveredSpans, covers, loadedSpans } from './covered-spans.ts';

const range = (startOffset: number, endOffset: number, count: number) => ({
  startOffset,
  endOffset,
  count,
});

it('of nested ranges the innermost one says whether a place ran', () => {
  const spans = coveredSpans([range(10, 40, 0), range(0, 100, 1), range(20, 30, 2)]);
  expect(spans).toEqual([0, 10, 20, 30, 40, 100]);
  const ran = [0, 9, 10, 19, 20, 29, 30, 39, 40, 99, 100].filter((place) => covers(spans, place));
  expect(ran).toEqual([0, 9, 20, 29, 40, 99]);
});

it('nothing ran where no range was counted', () => {
  expect(coveredSpans([])).toEqual([]);
  expect(coveredSpans([range(0, 10, 0)])).toEqual([]);
  expect(covers([], 5)).toBe(false);
  expect(covers([10, 20], 5)).toBe(false);
});

it('what runs while a module is loaded is what ran of it outside its functions', () => {
  const inner = { ranges: [range(10, 40, 5), range(20, 30, 0)] };
  expect(loadedSpans([{ ranges: [range(0, 100, 1), range(50, 60, 0)] }, inner])).toEqual([
    0, 10, 40, 50, 60, 100,
  ]);
  // A module that was loaded before has functions only.
  expect(loadedSpans([{ ranges: [range(0, 100, 0)] }, inner])).toEqual([]);
  expect(loadedSpans([inner])).toEqual([]);
});
