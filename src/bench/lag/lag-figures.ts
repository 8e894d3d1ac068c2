import { type Histogram, sumOfHistograms } from '../../model/measures/histogram.ts';
import { median } from '../harness/statistics.ts';

/** How late starts were, in ms; a due start that never began counts as later than any other. */
export interface LagFigures {
  readonly p50: number;
  readonly p99: number;
  /** The median of the 99th percentiles of each second: a pause of the machine cannot move it. */
  readonly medianP99: number;
  /** The share of the due starts that began. */
  readonly startedPercent: number;
}

const percentile = (lags: Histogram, q: number, due: number): number => {
  const rank = Math.ceil(Math.max(due, lags.count) * q);
  return rank > lags.count ? Number.POSITIVE_INFINITY : lags.atRank(rank);
};

/** From the lags of each second's starts, at two digits; `rate` starts were due in each second. */
export const lagFiguresOf = (seconds: readonly Histogram[], rate: number): LagFigures => {
  const whole = sumOfHistograms(seconds, 2);
  const due = rate * seconds.length;
  return {
    p50: percentile(whole, 0.5, due),
    p99: percentile(whole, 0.99, due),
    medianP99: median(seconds.map((second) => percentile(second, 0.99, rate))),
    startedPercent: (whole.count / due) * 100,
  };
};
