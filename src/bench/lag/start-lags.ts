import { type Histogram, sumOfHistograms } from '../../model/measures/histogram.ts';
import { median } from '../harness/median.ts';

/** How late starts were, in ms, those that were due and never begun being later than any. */
export interface StartLags {
  readonly p50: number;
  readonly p99: number;
  /** The 99th percentile of each second, and of these the median: what a pause of the machine cannot move. */
  readonly medianP99: number;
  /** Of those that were due, in percent. */
  readonly startedPercent: number;
}

const percentile = (lags: Histogram, q: number, due: number): number => {
  const rank = Math.ceil(Math.max(due, lags.count) * q);
  return rank > lags.count ? Number.POSITIVE_INFINITY : lags.atRank(rank);
};

/** From the lags of what was begun of each second's starts, at two digits; in each second so many were due. */
export const startLagsOf = (seconds: readonly Histogram[], rate: number): StartLags => {
  const whole = sumOfHistograms(seconds, 2);
  const due = rate * seconds.length;
  return {
    p50: percentile(whole, 0.5, due),
    p99: percentile(whole, 0.99, due),
    medianP99: median(seconds.map((second) => percentile(second, 0.99, rate))),
    startedPercent: (whole.count / due) * 100,
  };
};
