import {
  comparisons,
  inScope,
  isLowerBound,
  type Objective,
  unitOfFigure,
} from '../model/objective.ts';
import { type Grounds, type ObjectiveVerdict, rulingOf } from '../model/objective-verdict.ts';
import type { Group, Result } from '../model/result.ts';
import { type RateName, rates, type Tallied } from '../model/run-figures.ts';
import { outcomesOf } from '../model/outcomes.ts';
import {
  distribution,
  groupsWhere,
  measured,
  missingSlices,
  type Where,
} from '../model/summary.ts';
import { trafficKinds } from '../model/traffic.ts';
import type { Trust } from '../model/verdict.ts';
import { ratedSeconds } from './rated-seconds.ts';
import { sightCount, sightDistribution, type Sighting, sightRate, sightShare } from './sighting.ts';

/** Whether an objective is kept by what was seen; too little of it is no data, never a pass. */
export const groundsBy = (
  { comparison, bound, minSamples }: Objective,
  { observed, n }: Sighting,
): 'kept' | 'broken' | 'no-data' => {
  if (observed === null || (n !== null && n < minSamples)) return 'no-data';
  return comparisons[comparison](observed, bound) ? 'kept' : 'broken';
};

const talliedOf = (groups: readonly Group[]): Tallied => ({
  outcomes: outcomesOf(groups),
  sent: groups.reduce((sum, { sent }) => sum + sent, 0),
  good: groups.reduce((sum, { good }) => sum + (good?.all ?? 0), 0),
});

const sightRateIn = (result: Result, name: RateName, { scope }: Objective): Sighting => {
  const rate = rates[name];
  if (!result.groups.some(rate.told)) return sightRate(0, 0);
  const seconds = new Set(ratedSeconds(result.plan, result.scheduled, scope.stages));
  const kinds = scope.traffic === null ? trafficKinds : [scope.traffic];
  const events = result.timeline
    .filter(({ second }) => seconds.has(second))
    .reduce((sum, second) => sum + rate.of(second, kinds), 0);
  return sightRate(events, seconds.size);
};

const sight = (result: Result, objective: Objective): Sighting => {
  const { figure, scope } = objective;
  const where: Where = (labels) => measured(labels) && inScope(scope, labels);
  switch (figure.kind) {
    case 'measure':
      return sightDistribution(distribution(result, figure.name, where), figure.statistic);
    case 'count':
      return sightCount(figure.name, talliedOf(groupsWhere(result, where)));
    case 'share':
      return sightShare(figure.name, talliedOf(groupsWhere(result, where)));
    case 'rate':
      return sightRateIn(result, figure.name, objective);
  }
};

/** Whether the whole confidence interval lies where the figure does; `null` without one. */
const isSure = (
  { comparison, bound }: Objective,
  { observed, low, high }: Sighting,
): boolean | null => {
  if (observed === null || (low === null && high === null)) return null;
  const keeps = (value: number): boolean => comparisons[comparison](value, bound);
  const [worst, best] = isLowerBound(comparison) ? [low, high] : [high, low];
  return keeps(observed) ? worst !== null && keeps(worst) : best !== null && !keeps(best);
};

/** What counts against every verdict of a run, whatever was seen. */
const disqualified = (result: Result, trust: Trust): Grounds | null => {
  if (missingSlices(result).length > 0) return 'incomplete';
  return trust.level === 'invalid' ? 'unfit' : null;
};

const judge = (result: Result, objective: Objective, against: Grounds | null): ObjectiveVerdict => {
  const seen = sight(result, objective);
  const { text, severity, minSamples, figure } = objective;
  const breach = result.breach?.text === text ? result.breach : null;
  const found = groundsBy(objective, seen);
  const stopped: Grounds = result.partial !== null && found !== 'broken' ? 'partial' : found;
  const grounds = against ?? (breach === null ? stopped : 'aborted');
  // An aborted run's last answers may mend the figure; what counts is what it was ended for.
  const { observed, n, low, high } =
    breach === null ? seen : { ...seen, observed: breach.observed, low: null, high: null };
  return {
    text,
    severity,
    ruling: rulingOf[grounds],
    grounds,
    observed,
    unit: unitOfFigure(figure),
    n,
    minSamples,
    low,
    high,
    sure: found === 'no-data' ? null : isSure(objective, { observed, n, low, high }),
  };
};

/**
 * How the plan's objectives come out, in its order. The verdict is on the observed value; its
 * confidence interval stands beside it and decides nothing. Without enough samples it fails; a run
 * that is not valid or not whole decides nothing, and one that was stopped keeps no objective.
 */
export const judgeObjectives = (result: Result, trust: Trust): ObjectiveVerdict[] => {
  const against = disqualified(result, trust);
  return result.plan.objectives.map((objective) => judge(result, objective, against));
};
