import { type Histogram, sumOfHistograms } from '../model/histogram.ts';
import { median } from './median.ts';

/** How late starts were, in ms. */
export interface StartLags {
  readonly p50: number;
  readonly p99: number;
  /** The 99th percentile of each second, and of these the median: what a pause of the machine cannot move. */
  readonly medianP99: number;
  /** Of those that were due, in percent. */
  readonly begun: number;
}

const percentile = (lags: Histogram, q: number): number =>
  lags.count === 0 ? Number.NaN : lags.atRank(Math.max(1, Math.ceil(lags.count * q)));

/** From the lags of each second, at two digits, in each of which so many starts were due. */
export const startLagsOf = (seconds: readonly Histogram[], rate: number): StartLags => {
  const whole = sumOfHistograms(seconds, 2);
  return {
    p50: percentile(whole, 0.5),
    p99: percentile(whole, 0.99),
    medianP99: median(seconds.map((second) => percentile(second, 0.99))),
    begun: (whole.count / (rate * seconds.length)) * 100,
  };
};
