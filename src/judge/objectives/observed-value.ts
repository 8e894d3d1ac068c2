import type { Histogram } from '../../model/measures/histogram.ts';
import type { ObjectiveFigure, Statistic } from '../../model/plan/objective.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import { quantile, wilsonInterval } from '../../model/measures/quantile.ts';
import {
  type CountedArrivals,
  counts,
  type RateName,
  shares,
} from '../../model/measures/run-figures.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { loadDuration, type Plan } from '../../model/plan/plan.ts';
import { firstMeasuredSecond } from '../../model/result/summary.ts';

/** The figure of an objective so far. `low` and `high` bound its 95 % confidence interval. */
export interface ObservedValue {
  /** In the unit of the figure; `null` without data. */
  readonly observed: number | null;
  /** Samples, or arrivals of a share; `null` for other figures. */
  readonly n: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** The sources of figures, of which only the needed one is called. */
interface FigureSources {
  readonly distribution: (name: MeasureName) => Histogram;
  readonly counted: () => CountedArrivals;
  /** Returns the values of a server’s figure; none if too many are missing. */
  readonly server: (name: string) => readonly number[];
  readonly rated: (name: RateName) => { readonly events: number; readonly seconds: number };
}

const withoutInterval = (observed: number | null, n: number | null): ObservedValue => ({
  observed,
  n,
  low: null,
  high: null,
});

/** Computes a statistic of some values, quantiles by nearest rank; `null` without values. */
const statisticOf = (values: readonly number[], statistic: Statistic): number | null => {
  if (values.length === 0) return null;
  if (statistic === 'mean') return values.reduce((sum, each) => sum + each, 0) / values.length;
  const sorted = values.toSorted((a, b) => a - b);
  const q = statistic === 'min' ? 0 : statistic === 'max' ? 1 : statistic;
  return sorted[Math.max(0, Math.ceil(q * sorted.length - 1e-9) - 1)]!;
};

/** Computes a figure. Shares are in percent of all arrivals, rates per second. */
export const observeFigure = (figure: ObjectiveFigure, sources: FigureSources): ObservedValue => {
  switch (figure.kind) {
    case 'measure': {
      const histogram = sources.distribution(figure.name);
      const { statistic } = figure;
      const n = histogram.count;
      if (typeof statistic !== 'number') return withoutInterval(histogram[statistic], n);
      const { value = null, low = null, high = null } = quantile(histogram, statistic) ?? {};
      return { observed: value, n, low, high };
    }
    case 'count':
      return withoutInterval(counts[figure.name].of(sources.counted()), null);
    case 'share': {
      const counted = sources.counted();
      const n = countArrivals(counted.outcomes);
      if (n === 0) return withoutInterval(null, n);
      const part = shares[figure.name].of(counted);
      const { low, high } = wilsonInterval(part, n);
      return { observed: (part / n) * 100, n, low: low * 100, high: high * 100 };
    }
    case 'server': {
      const values = sources.server(figure.name);
      return withoutInterval(statisticOf(values, figure.statistic), values.length);
    }
    case 'rate': {
      const { events, seconds } = sources.rated(figure.name);
      return withoutInterval(seconds === 0 ? null : events / seconds, null);
    }
  }
};

/** Returns the start and end of each stage, in ms. */
export const stageSpans = (
  plan: Plan,
): readonly { readonly name: string; readonly from: number; readonly to: number }[] => {
  let start = 0;
  return plan.stages.map(({ name, load }) => {
    const from = start;
    start += loadDuration(load);
    return { name, from, to: start };
  });
};

/** Returns the whole seconds from the warm-up to `until` (ms), within the named stages if there are any. */
export const ratedSeconds = (
  plan: Plan,
  until: number,
  stages: readonly string[] | null,
): readonly number[] => {
  const first = firstMeasuredSecond({ plan });
  const length = Math.max(0, Math.floor(until / 1000) - first);
  const seconds = Array.from({ length }, (_, i) => first + i);
  if (stages === null) return seconds;
  const spans = stageSpans(plan).filter(({ name }) => stages.includes(name));
  return seconds.filter((second) =>
    spans.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to),
  );
};
