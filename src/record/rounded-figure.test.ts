import { expect, it } from 'vitest';
import { roundedFigure } from './recorder.ts';

it.each([
  [1.2344, 1.234],
  [1.2346, 1.235],
  [-1.2346, -1.235],
  [4000, 4000],
  [0, 0],
  [null, null],
  [undefined, null],
])('the figure %s is rounded to thousandths: %s', (figure, rounded) => {
  expect(roundedFigure(figure)).toBe(rounded);
});
