import { expect, it } from 'vitest';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { lagFiguresOf } from './start-lag.ts';

const secondOf = (...lags: readonly number[]): Histogram => {
  const second = emptyHistogram(2);
  for (const lag of lags) second.record(lag);
  return second;
};

/** A second of a hundred starts, of which the last `late` have the given lag. */
const withTail = (lag: number, late = 2): Histogram =>
  secondOf(...Array.from({ length: 100 }, (_, start) => (start < late ? lag : 0.1)));

it('a pause of the machine moves the percentiles of all starts, not that of the median second', () => {
  const lags = lagFiguresOf([withTail(1), withTail(40, 20), withTail(2)], 100);
  expect(lags.startedPercent).toBe(100);
  expect(lags.p50).toBeCloseTo(0.1, 2);
  expect(lags.p99).toBeCloseTo(40, 0);
  expect(lags.medianP99).toBeCloseTo(2, 1);
});

it('a start that never began counts as later than any other', () => {
  const lags = lagFiguresOf([withTail(1), withTail(1), secondOf(0.1)], 100);
  expect(lags.startedPercent).toBeCloseTo(67, 5);
  expect(lags.p50).toBeCloseTo(0.1, 2);
  expect(lags.p99).toBe(Number.POSITIVE_INFINITY);
  expect(lags.medianP99).toBeCloseTo(1, 1);
});
