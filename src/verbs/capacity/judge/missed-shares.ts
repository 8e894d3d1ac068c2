import { isTimeOfEachRequest } from '../../../model/measures/measures.ts';
import type { OutcomeCounts } from '../../../model/measures/counts.ts';
import { countArrivals, sumAwaited } from '../../../model/measures/outcome-counts.ts';
import { isLowerBound, type Objective, inScope } from '../../../model/plan/objective.ts';
import type { ObjectiveVerdict } from '../../../model/result/objective-verdict.ts';
import type { Result } from '../../../model/result/result.ts';
import { dependenceOfArrivals, type RunPart } from '../../../model/result/run-dependence.ts';
import {
  completedDistributionOf,
  failuresBeside,
  groupsMatching,
  type LabelFilter,
  runPartOf,
} from '../../../model/result/summary.ts';
import type { CapacityStep } from '../model/capacity.ts';

/** The share of a step's arrivals that missed an objective; `null` if the objective allows no share of misses. */
type Miss = NonNullable<CapacityStep['misses']>[number];

/**
 * The minimum share of misses that an objective can allow. An objective that allows less is treated as if it allowed
 * none.
 */
const leastAllowed = 0.0005;

/** How many events were seen, and the lowest and highest number that is possible with the error of measurement. */
type Events = readonly [seen: number, least?: number, most?: number];

const missOf = (
  [seen, least = seen, most = seen]: Events,
  arrivals: number,
  allowed: number,
  cases: number,
): Miss => {
  if (arrivals === 0 || allowed < leastAllowed || allowed > 1 - leastAllowed) return null;
  const shareOf = (events: number): number => Math.min(1, Math.max(0, events / arrivals));
  const [share, low, high] = [shareOf(seen), shareOf(least), shareOf(most)];
  return {
    share,
    ...(low < share || high > share ? { error: { low, high } } : {}),
    allowed,
    arrivals,
    cases: Math.max(1, Math.min(arrivals, cases)),
  };
};

/**
 * Returns the share of arrivals that miss an objective on a percentile: arrivals that failed, and arrivals whose value
 * is beyond the objective's bound.
 */
const missOfPercentile = (
  result: Result,
  { figure, bound, comparison, scope }: Objective,
  { observed, error }: ObjectiveVerdict,
  where: LabelFilter,
  cases: number,
): Miss => {
  if (figure.kind !== 'measure' || typeof figure.statistic !== 'number') return null;
  const { name, statistic } = figure;
  const labels: LabelFilter = (each) => where(each) && inScope({ ...scope, stages: null }, each);
  const samples = completedDistributionOf(result, name, labels);
  const outcomes = sumAwaited(groupsMatching(result, labels));
  const failed = isTimeOfEachRequest(name) ? failuresBeside(samples.count, outcomes) : 0;
  const isLower = isLowerBound(comparison);
  const eventsAt = (limit: number): number =>
    isLower ? samples.countUpTo(limit) : samples.count - samples.countUpTo(limit) + failed;
  // The error of the figure applies to all samples: if the true figure is lower than the observed figure, each true
  // sample is lower by the same amount.
  const [below, above] =
    error === undefined || observed === null
      ? [0, 0]
      : [observed - error.low, (error.high ?? Infinity) - observed];
  const ends = [eventsAt(bound + below), eventsAt(bound - above)];
  return missOf(
    [eventsAt(bound), Math.min(...ends), Math.max(...ends)],
    samples.count + failed,
    isLower ? statistic : 1 - statistic,
    cases,
  );
};

/**
 * Returns the number of seconds with arrivals. In steps of less than ten seconds, the dependence of the arrivals is
 * unknown, so each of these seconds counts as one independent arrival.
 */
const secondsWithArrivals = ({ seconds }: RunPart): number =>
  seconds.filter((second) => second !== undefined && second.due > 0).length;

/**
 * Returns the share of a step's arrivals that missed an objective. `verdict` says how many independent arrivals the
 * step is worth.
 */
export const missOfObjective = (
  result: Result,
  objective: Objective,
  verdict: ObjectiveVerdict,
  where: LabelFilter,
): Miss => {
  const { figure, bound, comparison } = objective;
  const { observed, n, low, high, effective } = verdict;
  if (n === null || n === 0) return null;
  // If the verdict has no interval, the dependence of the arrivals is unknown, so seconds are counted instead.
  const cases =
    low === null && high === null
      ? secondsWithArrivals(runPartOf(result, groupsMatching(result, where)))
      : (effective ?? n);
  if (figure.kind === 'measure') return missOfPercentile(result, objective, verdict, where, cases);
  if (figure.kind !== 'share' || observed === null) return null;
  const [seen, allowed] = [observed / 100, bound / 100];
  return isLowerBound(comparison)
    ? missOf([(1 - seen) * n], n, 1 - allowed, cases)
    : missOf([seen * n], n, allowed, cases);
};

/**
 * Returns two shares of a step's arrivals: those that missed a per-request objective, and those that did not complete.
 */
export const defaultMisses = (
  result: Result,
  where: LabelFilter,
  good: number,
  outcomes: OutcomeCounts,
  allowed: { readonly missed: number; readonly failed: number },
): readonly Miss[] => {
  const part = runPartOf(result, groupsMatching(result, where));
  const arrivals = countArrivals(outcomes);
  const counted = { outcomes, sent: arrivals, metAllObjectives: good, finished: null };
  return (
    [
      ['goodput', arrivals - good, allowed.missed],
      ['errorRate', arrivals - outcomes.completed, allowed.failed],
    ] as const
  ).map(([name, events, share]) => {
    const dependence = dependenceOfArrivals(part, name, counted);
    const cases = dependence === null ? secondsWithArrivals(part) : arrivals / dependence.effect;
    return missOf([events], arrivals, share, cases);
  });
};
