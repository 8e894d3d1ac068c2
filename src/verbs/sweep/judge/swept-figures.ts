import { percentileName } from '../../../model/measures/headline.ts';
import { measures } from '../../../model/measures/measures.ts';
import { type RateName, rateNames, rates } from '../../../model/measures/run-figures.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import type { Result } from '../../../model/result/result.ts';
import {
  figuresOver,
  latencyOver,
  type MeasuredFigures,
  measuredWindow,
  outsideWarmUp,
} from '../../../model/result/summary.ts';
import type { SweepAxis } from '../model/sweep.ts';
import { trafficKinds } from '../../../model/workload/traffic.ts';
import { percentileOf } from '../../../judge/series/gates.ts';

export interface RunFigure {
  readonly value: number;
  /** Whether fewer than ten samples lie beyond the percentile. */
  readonly isWeak: boolean;
}

const rateLabels = {
  offeredRate: 'Due',
  sentRate: 'Sent',
  completedRate: 'Completed',
  inputTokenRate: 'Input tokens',
  outputTokenRate: 'Output tokens',
} as const satisfies Record<RateName, string>;

/** The figures that every report of a sweep shows. A figure that no run has is absent. */
const usualFigures: readonly string[] = [
  'offeredRate',
  'completedRate',
  'outputTokenRate',
  'ttft.p50',
  'ttft.p95',
  'firstAudio.p50',
  'firstAudio.p95',
  'tpot.p50',
  'steadyMean',
  'inFlight',
  'endToEnd.p50',
  'endToEnd.p95',
];

/** Returns the names of the figures that are read from each run, including `wanted`. */
export const figureNames = (wanted: readonly (string | null)[]): readonly string[] => [
  ...new Set([...usualFigures, ...wanted.filter((name) => name !== null)]),
];

/** Returns whether a name is that of a rate. For rates, a higher value is better. */
export const isRateName = (name: string): name is RateName =>
  rateNames.some((each) => each === name);

/** Returns the title and the unit of a figure; `null` if no figure has this name. */
export const axisOf = (name: string): SweepAxis | null => {
  if (isRateName(name)) return { name, label: rateLabels[name], unit: '/s' };
  const percentile = percentileOf(name);
  if (percentile === null) return null;
  const { short, unit } = measures[percentile.measure];
  return { name, label: `${short} ${percentileName(percentile.q)}`, unit };
};

/** Returns whether a name is that of a percentile whose lower values are better, such as `ttft.p95`. */
export const isLatencyName = (name: string): boolean => {
  const percentile = percentileOf(name);
  return percentile !== null && measures[percentile.measure].better === 'lower';
};

const rateOf = (result: Result, name: RateName): number | null => {
  const window = measuredWindow(result);
  if (window === null || !result.groups.some(rates[name].hasData)) return null;
  const sum = window.timeline.reduce((all, each) => all + rates[name].of(each, trafficKinds), 0);
  return sum / window.seconds;
};

const endToEndOf = (result: Result): MeasuredFigures =>
  figuresOver(result, 'endToEnd', outsideWarmUp);

/**
 * Returns the number of users in a closed load without think time, who always wait for answers; `null` for any other
 * load.
 */
const waitingUsers = ({ plan }: Result): number | null => {
  const [{ load }, ...others] = plan.stages as [Plan['stages'][number]];
  return others.length === 0 && load.kind === 'closed' && load.thinkTime === 0 ? load.users : null;
};

/**
 * Returns the mean number of requests in flight: the number of waiting users or, for other loads, the number by
 * Little's law.
 */
const inFlightOf = (result: Result): number | null => {
  const users = waitingUsers(result);
  if (users !== null) return users;
  const [rate, latency] = [rateOf(result, 'completedRate'), endToEndOf(result).mean];
  return rate === null || latency === null ? null : (rate * latency) / 1000;
};

/**
 * Returns the mean time of a request in ms while all users were active. When the load ends, users leave, and the last
 * requests share the server with fewer other requests. So a second is left out if its distance to the end is less than
 * the time of the longest request. The mean is over all requests if no requests remain, or if the users do not always
 * wait for answers.
 */
const steadyMeanOf = (result: Result): number | null => {
  const { max, mean: meanOfAll } = endToEndOf(result);
  const window = measuredWindow(result);
  if (waitingUsers(result) === null || max === null || window === null) return meanOfAll;
  const seconds = window.timeline.filter(
    ({ second }) => (second + 1) * 1000 + max <= result.scheduled,
  );
  const parts = trafficKinds.map((kind) => latencyOver(seconds, kind, 'endToEnd'));
  const samples = parts.reduce((sum, { count }) => sum + count, 0);
  const total = parts.reduce((sum, { count, mean }) => sum + count * (mean ?? 0), 0);
  return samples === 0 ? meanOfAll : total / samples;
};

/** Returns a figure of a run over all traffic after the warm-up; `null` if the run does not have the figure. */
export const figureOfRun = (result: Result, name: string): RunFigure | null => {
  const percentile = percentileOf(name);
  if (percentile !== null) {
    const { measure, q } = percentile;
    const found = figuresOver(result, measure, outsideWarmUp).percentile(q);
    return found === null ? null : { value: found.value, isWeak: found.weak };
  }
  const value = isRateName(name)
    ? rateOf(result, name)
    : name === 'inFlight'
      ? inFlightOf(result)
      : name === 'steadyMean'
        ? steadyMeanOf(result)
        : null;
  return value === null ? null : { value, isWeak: false };
};
