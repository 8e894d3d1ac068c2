import { isTimeOfEachRequest } from '../../../model/measures/measures.ts';
import type { OutcomeCounts } from '../../../model/measures/counts.ts';
import { countArrivals, sumOutcomes } from '../../../model/measures/outcome-counts.ts';
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

/** The share of a step's arrivals that missed an objective, for those that allow a share. */
type Miss = NonNullable<CapacityStep['misses']>[number];

/** A smaller share than this is that of an objective which allows none. */
const leastAllowed = 0.0005;

const missOf = (events: number, arrivals: number, allowed: number, cases: number): Miss => {
  if (arrivals === 0 || allowed < leastAllowed || allowed > 1 - leastAllowed) return null;
  const share = Math.min(1, Math.max(0, events / arrivals));
  return { share, allowed, arrivals, cases: Math.max(1, Math.min(arrivals, cases)) };
};

/** The share beyond the bound of an objective on a percentile, of all that were due: those that failed are beyond it. */
const missOfPercentile = (
  result: Result,
  { figure, bound, comparison, scope }: Objective,
  where: LabelFilter,
  cases: number,
): Miss => {
  if (figure.kind !== 'measure' || typeof figure.statistic !== 'number') return null;
  const { name, statistic } = figure;
  const labels: LabelFilter = (each) => where(each) && inScope({ ...scope, stages: null }, each);
  const samples = completedDistributionOf(result, name, labels);
  const outcomes = sumOutcomes(groupsMatching(result, labels));
  const failed = isTimeOfEachRequest(name) ? failuresBeside(samples.count, outcomes) : 0;
  const within = samples.countUpTo(bound);
  const isLower = isLowerBound(comparison);
  const events = isLower ? within : samples.count - within + failed;
  return missOf(events, samples.count + failed, isLower ? statistic : 1 - statistic, cases);
};

/** Counts as independent arrivals whose dependence is unknown, since they are of fewer than ten seconds: one for each second. */
const secondsWithArrivals = ({ seconds }: RunPart): number =>
  seconds.filter((second) => second !== undefined && second.due > 0).length;

/** What a step tells of an objective; its verdict says how many independent arrivals that is. */
export const missOfObjective = (
  result: Result,
  objective: Objective,
  { observed, n, low, high, effective }: ObjectiveVerdict,
  where: LabelFilter,
): Miss => {
  const { figure, bound, comparison } = objective;
  if (n === null || n === 0) return null;
  // No interval: how far the arrivals depend on each other is unknown.
  const cases =
    low === null && high === null
      ? secondsWithArrivals(runPartOf(result, groupsMatching(result, where)))
      : (effective ?? n);
  if (figure.kind === 'measure') return missOfPercentile(result, objective, where, cases);
  if (figure.kind !== 'share' || observed === null) return null;
  const [seen, allowed] = [observed / 100, bound / 100];
  return isLowerBound(comparison)
    ? missOf((1 - seen) * n, n, 1 - allowed, cases)
    : missOf(seen * n, n, allowed, cases);
};

/** What a step tells of the shares of arrivals that are good and that completed. */
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
    return missOf(events, arrivals, share, cases);
  });
};
