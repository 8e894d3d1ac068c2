import {
  comparisonOperators,
  inScope,
  isLowerBound,
  type Objective,
  unitOfFigure,
} from '../../model/plan/objective.ts';
import {
  type VerdictReason,
  type ObjectiveVerdict,
  rulingByReason,
} from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { type RateName, rates } from '../../model/measures/run-figures.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import {
  distributionOf,
  groupsMatching,
  outsideWarmUp,
  missingSlices,
  type LabelFilter,
} from '../../model/result/summary.ts';
import { isOfRequests } from '../../model/measures/server-figures.ts';
import { serverSamplesIn, serverValuesOf } from '../../model/result/server-metrics.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import type { ErrorBounds, Trust } from '../../model/result/verdict.ts';
import { type FigureErrors, figureErrorsOf } from '../errors/figure-errors.ts';
import { observeFigure, type ObservedValue, ratedSeconds, stageSpans } from './observed-value.ts';

/** Decides whether an observed value meets an objective. Too few samples are `no-data`, never a pass. */
export const groundsFor = (
  { comparison, bound, minSamples }: Objective,
  { observed, n }: ObservedValue,
): 'kept' | 'broken' | 'no-data' => {
  if (observed === null || (n !== null && n < minSamples)) return 'no-data';
  return comparisonOperators[comparison](observed, bound) ? 'kept' : 'broken';
};

const ratedIn = (result: Result, name: RateName, { stages, traffic }: Objective['scope']) => {
  const rate = rates[name];
  if (!result.groups.some(rate.hasData)) return { events: 0, seconds: 0 };
  const seconds = new Set(ratedSeconds(result.plan, result.scheduled, stages));
  const kinds = traffic === null ? trafficKinds : [traffic];
  const events = result.timeline
    .filter(({ second }) => seconds.has(second))
    .reduce((sum, second) => sum + rate.of(second, kinds), 0);
  return { events, seconds: seconds.size };
};

/** The minimum share of the planned readings of a server's figure. Missing ones could have broken the bound. */
const minServerShare = 0.8;

/** Returns the server’s values within the measured time, or the named stages. */
const serverValues = (
  { server, plan, scheduled }: Result,
  name: string,
  stages: readonly string[] | null,
): readonly number[] => {
  if (server === undefined) return [];
  const spans = stageSpans(plan)
    .filter((span) => stages?.includes(span.name) ?? true)
    .map(({ from, to }) => ({ from: Math.max(from, plan.warmUp), to: Math.min(to, scheduled) }));
  const samples = spans.flatMap(({ from, to }) => serverSamplesIn(server, from, to));
  const wanted =
    spans.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0) / server.every;
  const values = serverValuesOf(samples, name);
  const read = isOfRequests(name) ? samples.length : values.length;
  return read < minServerShare * Math.floor(wanted) ? [] : values;
};

const observe = (result: Result, { figure, scope }: Objective): ObservedValue => {
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && inScope(scope, labels);
  const groups = groupsMatching(result, where);
  return observeFigure(figure, {
    distribution: (name) => distributionOf(result, name, where),
    counted: () => ({
      outcomes: sumOutcomes(groups),
      sent: groups.reduce((sum, { sent }) => sum + sent, 0),
      metAllObjectives: groups.reduce((sum, { good }) => sum + (good?.all ?? 0), 0),
    }),
    server: (name) => serverValues(result, name, scope.stages),
    rated: (name) => ratedIn(result, name, scope),
  });
};

/** Decides whether the whole confidence interval is on the figure's side of the bound; `null` without one. */
const isSure = (
  { comparison, bound }: Objective,
  { observed, low, high }: ObservedValue,
): boolean | null => {
  if (observed === null || (low === null && high === null)) return null;
  const keeps = (value: number): boolean => comparisonOperators[comparison](value, bound);
  const [worst, best] = isLowerBound(comparison) ? [low, high] : [high, low];
  return keeps(observed) ? worst !== null && keeps(worst) : best !== null && !keeps(best);
};

/** Returns the bounds of the true figure; `null` for a figure that the load generator cannot have moved. */
const errorOf = ({ boundsOf }: FigureErrors, { figure, scope }: Objective): ErrorBounds | null =>
  figure.kind === 'measure' && typeof figure.statistic === 'number'
    ? (boundsOf(
        figure.name,
        (labels) => outsideWarmUp(labels) && inScope(scope, labels),
      )?.(figure.statistic) ?? null)
    : null;

/** Decides whether the true figure can be on the other side of the bound than the observed one. */
const isWithin = (error: ErrorBounds | null, { comparison, bound }: Objective): boolean =>
  error !== null &&
  comparisonOperators[comparison](error.low, bound) !==
    comparisonOperators[comparison](error.high, bound);

/** Decides whether no reading of the whole run contains the server’s figure that an objective bounds. */
const isNeverGiven = ({ server }: Result, { figure }: Objective): boolean =>
  figure.kind === 'server' && serverValuesOf(server?.samples ?? [], figure.name).length === 0;

const findingOf = (
  result: Result,
  objective: Objective,
  observed: ObservedValue,
  error: ErrorBounds | null,
): VerdictReason => {
  const seen = groundsFor(objective, observed);
  if (seen === 'no-data') return isNeverGiven(result, objective) ? 'never-given' : seen;
  return isWithin(error, objective) ? 'within-error' : seen;
};

const judge = (
  result: Result,
  objective: Objective,
  errors: FigureErrors,
  disqualifiedBecause: VerdictReason | null,
): ObjectiveVerdict => {
  const observedValue = observe(result, objective);
  const error = errorOf(errors, objective);
  const { text, severity, minSamples, figure } = objective;
  const breach = result.breach?.text === text ? result.breach : null;
  const found = findingOf(result, objective, observedValue, error);
  const stopped: VerdictReason = result.partial !== null && found !== 'broken' ? 'partial' : found;
  const grounds = disqualifiedBecause ?? (breach === null ? stopped : 'aborted');
  // The last answers of an aborted run can improve the figure. The breach counts.
  const { observed, n, low, high } =
    breach === null
      ? observedValue
      : { ...observedValue, observed: breach.observed, low: null, high: null };
  return {
    text,
    severity,
    ruling: rulingByReason[grounds],
    grounds,
    observed,
    unit: unitOfFigure(figure),
    n,
    minSamples,
    low,
    high,
    ...(error === null || breach !== null
      ? {}
      : { error: { low: error.low, high: Number.isFinite(error.high) ? error.high : null } }),
    sure: found === 'no-data' ? null : isSure(objective, { observed, n, low, high }),
  };
};

/**
 * Judges the plan's objectives. Confidence intervals decide nothing. An objective fails if it has too few samples.
 * It is inconclusive if the load generator can have moved the figure across its bound, if the server never gave the
 * figure or, unless it is broken, if the run is invalid, incomplete or stopped.
 */
export const judgeObjectives = (result: Result, trust: Trust): ObjectiveVerdict[] => {
  const isIncomplete = missingSlices(result).length > 0;
  const disqualifiedBecause = isIncomplete
    ? 'incomplete'
    : trust.level === 'invalid'
      ? 'unfit'
      : null;
  const errors = figureErrorsOf(result);
  return result.plan.objectives.map((objective) =>
    judge(result, objective, errors, disqualifiedBecause),
  );
};
