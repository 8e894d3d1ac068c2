import { describe, expect, it } from 'vitest';
import { sampleFigure, uncertainGap } from '../fixtures/sample-trust.fixture.ts';
import { errorText, markedErrorText } from './error-text.ts';

describe('the text for a measurement error', () => {
  it.each([
    ['too high', { value: 12.3, low: 11.1, high: 12.3 }, '−1.2'],
    ['too low', { value: 50.8, low: 50.8, high: 51.2 }, '+0.4'],
    ['either way by as much', { value: 20, low: 19.6, high: 20.4 }, '±0.4'],
    ['either way, equal to its digits', { value: 20, low: 19.62, high: 20.41 }, '±0.4'],
    ['more one way', { value: 20.5, low: 19.8, high: 22.6 }, '−0.7 +2.1'],
    ['to two digits after the point', { value: 1.33, low: 1.12, high: 1.33 }, '−0.21'],
    ['of a great figure', { value: 4000, low: 2766, high: 4000 }, '−1,234'],
    ['down to nothing', { value: 0.7, low: 0, high: 0.7 }, '−0.70'],
    [
      'without an upper bound',
      { value: 21.6, low: 0, high: Number.POSITIVE_INFINITY },
      'unbounded',
    ],
    ['rounded like its figure', { value: 0.965, low: 0, high: 0.965 }, '−0.96'],
  ])('%s', (_, figure, text) => {
    expect(errorText(figure)).toBe(text);
  });

  it('is left out if it rounds to nothing at the digits of the figure', () => {
    expect(errorText({ value: 1382, low: 1381.6, high: 1382 })).toBeNull();
    expect(errorText({ value: 13.8, low: 13.77, high: 13.8 })).toBeNull();
    expect(errorText({ value: 0, low: 0, high: 0 })).toBeNull();
    expect(markedErrorText(sampleFigure({ low: 188.031 }))).toBeUndefined();
    expect(markedErrorText(null)).toBeUndefined();
  });

  it('is marked if it is not small', () => {
    expect(markedErrorText(sampleFigure())).toEqual({ text: '−1', tone: 'quiet' });
    expect(markedErrorText(uncertainGap)).toEqual({ text: '−1.4 +2.8', tone: 'warning' });
  });
});
