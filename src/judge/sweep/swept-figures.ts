import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import { type RateName, rateNames, rates } from '../../model/measures/run-figures.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, measuredWindow, outsideWarmUp } from '../../model/result/summary.ts';
import type { SweepAxis } from '../../model/series/sweep.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { percentileOf } from '../compare/gates.ts';

/** A figure of one run. */
export interface RunFigure {
  readonly value: number;
  /** Fewer than ten samples beyond the percentile. */
  readonly isWeak: boolean;
}

const rateLabels = {
  offeredRate: 'Due',
  sentRate: 'Sent',
  completedRate: 'Completed',
  inputTokenRate: 'Input tokens',
  outputTokenRate: 'Output tokens',
} as const satisfies Record<RateName, string>;

/** What every report of a sweep has, as far as the runs do. */
const usualFigures: readonly string[] = [
  'offeredRate',
  'completedRate',
  'outputTokenRate',
  'ttft.p50',
  'ttft.p95',
  'firstAudio.p50',
  'firstAudio.p95',
  'tpot.p50',
  'endToEnd.mean',
  'inFlight',
  'endToEnd.p50',
  'endToEnd.p95',
];

/** The names of the figures that are read from each run; `wanted` are read too. */
export const figureNames = (wanted: readonly (string | null)[]): readonly string[] => [
  ...new Set([...usualFigures, ...wanted.filter((name) => name !== null)]),
];

const isRate = (name: string): name is RateName => rateNames.some((each) => each === name);

/** What a figure is called and counted in; `null` if there is none of this name. */
export const axisOf = (name: string): SweepAxis | null => {
  if (isRate(name)) return { name, label: rateLabels[name], unit: '/s' };
  const percentile = percentileOf(name);
  if (percentile === null) return null;
  const { short, unit } = measures[percentile.measure];
  return { name, label: `${short} p${Number((percentile.q * 100).toFixed(2))}`, unit };
};

/** Whether more of it is throughput. */
export const isThroughputName = (name: string): boolean => isRate(name);

/** Whether less of it is better for the one who waits. */
export const isLatencyName = (name: string): boolean => {
  const percentile = percentileOf(name);
  return percentile !== null && measures[percentile.measure].better === 'lower';
};

const rateOf = (result: Result, name: RateName): RunFigure | null => {
  const window = measuredWindow(result);
  if (window === null || !result.groups.some(rates[name].hasData)) return null;
  const sum = window.timeline.reduce((all, each) => all + rates[name].of(each, trafficKinds), 0);
  return { value: sum / window.seconds, isWeak: false };
};

const meanOf = (result: Result, measure: MeasureName): RunFigure | null => {
  const { mean } = distributionOf(result, measure, outsideWarmUp);
  return mean === null ? null : { value: mean, isWeak: false };
};

/**
 * Requests in flight on average: the users of a closed load without think time, which all wait for answers; else by
 * Little’s law.
 */
const inFlightOf = (result: Result): RunFigure | null => {
  const [{ load }, ...others] = result.plan.stages as [Plan['stages'][number]];
  if (others.length === 0 && load.kind === 'closed' && load.thinkTime === 0) {
    return { value: load.users, isWeak: false };
  }
  const [rate, latency] = [rateOf(result, 'completedRate'), meanOf(result, 'endToEnd')];
  return rate === null || latency === null
    ? null
    : { value: (rate.value * latency.value) / 1000, isWeak: false };
};

/** A figure of a run over all its traffic after the warm-up; `null` if the run does not have it. */
export const figureOfRun = (result: Result, name: string): RunFigure | null => {
  if (isRate(name)) return rateOf(result, name);
  if (name === 'inFlight') return inFlightOf(result);
  if (name === 'endToEnd.mean') return meanOf(result, 'endToEnd');
  const percentile = percentileOf(name);
  if (percentile === null) return null;
  const { measure, q } = percentile;
  const found = quantile(distributionOf(result, measure, outsideWarmUp), q);
  return found === null ? null : { value: found.value, isWeak: found.weak };
};
