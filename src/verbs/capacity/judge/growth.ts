import { z95 } from '../../../model/measures/dependence.ts';
import type { EstimatedRange } from '../model/capacity.ts';
import { meanOf } from '../../../judge/statistics/significance.ts';
import { criticalT } from '../../../judge/statistics/student-t.ts';

/**
 * A step is surely kept only if the 95 % interval of its growth in requests in flight is below this share of its
 * arrivals.
 */
export const growthCertainlyBelow = 0.05;
/**
 * Only a step with at least this many arrivals can prove that requests in flight grow by less than 5 % of the arrivals.
 * A full server ends requests at random, with an error of 1.96 / √n, which is below 0.05 from n = 1,537. After a step
 * with fewer arrivals, the climb goes on unless the growth is certain.
 */
export const provingArrivals = 1540;

/** The lag-1 autocorrelation of residuals, 0 … 0.99; negative values count as 0. */
const autocorrelation = (residuals: readonly number[]): number => {
  let own = 0;
  let next = 0;
  for (const [i, residual] of residuals.entries()) {
    own += residual * residual;
    next += residual * (residuals[i + 1] ?? 0);
  }
  return own === 0 ? 0 : Math.min(0.99, Math.max(0, next / own));
};

/**
 * A slope with its 95 % interval. `effective` is the number of independent samples that would give the slope the same
 * accuracy.
 */
interface Slope extends EstimatedRange {
  readonly effective: number;
}

/**
 * Returns the slope of a series over its index, from least squares, with a 95 % interval. Neighbouring samples
 * correlate, so the effective number of samples is n (1 − ρ) / (1 + ρ), where ρ is the lag-1 autocorrelation (Bayley &
 * Hammersley 1946). If the series has fewer than three samples, the interval is unbounded.
 */
export const slopeOf = (series: readonly number[]): Slope => {
  const n = series.length;
  if (n < 3) return { value: 0, low: -Infinity, high: Infinity, effective: 0 };
  const middle = (n - 1) / 2;
  const level = meanOf(series);
  const spread = (n * (n * n - 1)) / 12;
  const value = series.reduce((sum, each, i) => sum + (i - middle) * (each - level), 0) / spread;
  const residuals = series.map((each, i) => each - level - value * (i - middle));
  const rho = autocorrelation(residuals);
  const effective = (n * (1 - rho)) / (1 + rho);
  const freedom = Math.max(3, effective) - 2;
  const variance = residuals.reduce((sum, each) => sum + each * each, 0) / freedom;
  const error = criticalT(0.05, freedom) * Math.sqrt(variance / spread);
  return { value, low: value - error, high: value + error, effective };
};

/** To find how much counts vary, the seconds of a step are divided into this many blocks. */
const blockCount = 10;

/**
 * Returns how many times as much counts per second vary as in a Poisson process, at least 1. This is the variance of
 * the sums of ten blocks, divided by the mean of these sums.
 */
const dispersionOf = (counts: readonly number[]): number => {
  const length = Math.floor(counts.length / blockCount);
  if (length === 0) return 1;
  const sums = Array.from({ length: blockCount }, (_, block) =>
    counts.slice(block * length, (block + 1) * length).reduce((sum, each) => sum + each, 0),
  );
  const mean = meanOf(sums);
  if (mean === 0) return 1;
  const squares = sums.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return Math.max(1, squares / (blockCount - 1) / mean);
};

/** Returns the relative error of a count of completed answers: at least 1 / √n, the error of a Poisson process. */
export const countingSpread = (completedBySecond: readonly number[]): number => {
  const completed = completedBySecond.reduce((sum, each) => sum + each, 0);
  return completed === 0 ? 1 : Math.min(1, Math.sqrt(dispersionOf(completedBySecond) / completed));
};

/**
 * If the requests in flight have fewer independent samples than this, their scatter is not used as the error of the
 * growth.
 */
const settledSamples = 20;

/**
 * How many requests began and ended in each whole second of a step. `inFlight` has the requests in flight at the start
 * of each second and at the end.
 */
export interface StepFlow {
  readonly begun: readonly number[];
  readonly ended: readonly number[];
  readonly inFlight: readonly number[];
}

/**
 * Returns the growth of the requests in flight per arrival, with its 95 % interval. The growth is the number of begun
 * minus ended requests, divided by the arrivals. Its error is the counting error of the ended requests. A full server
 * ends requests at random, so fewer than `provingArrivals` arrivals cannot show a growth below 5 %. Far below the
 * border, requests in flight turn over many times within a step. The scatter of the number in flight is then smaller
 * than the counting error, and the function uses the scatter as the error.
 */
export const growthOfFlow = ({ begun, ended, inFlight }: StepFlow): EstimatedRange => {
  const arrivals = begun.reduce((sum, each) => sum + each, 0);
  const ends = ended.reduce((sum, each) => sum + each, 0);
  if (arrivals === 0) return { value: 0, low: -1, high: 1 };
  const value = (arrivals - ends) / arrivals;
  const error = (z95 * Math.sqrt(dispersionOf(ended) * Math.max(1, ends))) / arrivals;
  const slope = slopeOf(inFlight);
  const perArrival = begun.length / arrivals;
  const scatter = ((slope.high - slope.low) / 2) * perArrival;
  // The growth per arrival lies between −1 and 1, so the interval is limited to this range.
  const within = (middle: number, half: number): EstimatedRange => ({
    value: Math.max(-1, Math.min(1, middle)),
    low: Math.max(-1, middle - half),
    high: Math.min(1, middle + half),
  });
  return slope.effective >= settledSamples && scatter < error
    ? within(slope.value * perArrival, scatter)
    : within(value, error);
};
