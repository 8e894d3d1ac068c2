import { expect, it } from 'vitest';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { startLagsOf } from './start-lags.ts';

const secondOf = (...lags: readonly number[]): Histogram => {
  const second = emptyHistogram(2);
  for (const lag of lags) second.record(lag);
  return second;
};

/** A second of a hundred starts, of which the latest have the given lag. */
const withTail = (lag: number, late = 2): Histogram =>
  secondOf(...Array.from({ length: 100 }, (_, start) => (start < late ? lag : 0.1)));

it('a pause of the machine moves the percentiles of all starts and not that of the median second', () => {
  const lags = startLagsOf([withTail(1), withTail(40, 20), withTail(2)], 100);
  expect(lags.startedPercent).toBe(100);
  expect(lags.p50).toBeCloseTo(0.1, 2);
  expect(lags.p99).toBeCloseTo(40, 0);
  expect(lags.medianP99).toBeCloseTo(2, 1);
});

it('takes what was never begun for later than anything: leaving out what is late makes nobody punctual', () => {
  const lags = startLagsOf([withTail(1), withTail(1), secondOf(0.1)], 100);
  expect(lags.startedPercent).toBeCloseTo(67, 5);
  expect(lags.p50).toBeCloseTo(0.1, 2);
  expect(lags.p99).toBe(Number.POSITIVE_INFINITY);
  expect(lags.medianP99).toBeCloseTo(1, 1);
});
