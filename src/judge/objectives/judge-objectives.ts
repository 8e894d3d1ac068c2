import {
  canBeSure,
  comparisonOperators,
  inScope,
  isLowerBound,
  type Objective,
  unitOfFigure,
} from '../../model/plan/objective.ts';
import {
  type Breach,
  infiniteFigure,
  type VerdictReason,
  type ObjectiveVerdict,
  rulingByReason,
} from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { type RateName, rates } from '../../model/measures/run-figures.ts';
import {
  countFinishes,
  emptyOutcomeCounts,
  sumAwaited,
  sumOutcomes,
} from '../../model/measures/outcome-counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import {
  completedDistributionOf,
  groupsMatching,
  outsideWarmUp,
  runPartOf,
  missingSlices,
  type LabelFilter,
} from '../../model/result/summary.ts';
import { isOfRequests } from '../../model/measures/server-figures.ts';
import { serverSamplesIn, serverValuesOf } from '../../model/result/server-metrics.ts';
import { cachedPromptsOf } from '../../model/measures/prompt-cache.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { instant, secondOf } from '../../model/quantity.ts';
import type { ErrorBounds, Trust } from '../../model/result/verdict.ts';
import { type FigureErrors, figureErrorsOf } from '../errors/figure-errors.ts';
import { doubtOfLooks, wilsonInterval } from '../../model/measures/quantile.ts';
import { dependenceOfPopulation, isOfEachPopulation } from './population-dependence.ts';
import { ratedSeconds, stageSpans } from '../../model/plan/stage-spans.ts';
import {
  cachedHalfWidth,
  dependenceAtBound,
  dependenceOfDue,
  dependenceOfArrivals,
  meanHalfWidth,
  type RunPart,
  secondsAt,
} from '../../model/result/run-dependence.ts';
import { countExplained, measuredRefusals } from '../limits/facts/explained-refusals.ts';
import { type FigureSources, observeFigure, type ObservedValue } from './observed-value.ts';

/** Returns whether an observed value meets an objective; `no-data` without a value, or with too few samples. */
export const groundsFor = (
  { comparison, bound, minSamples }: Objective,
  { observed, n }: ObservedValue,
): 'kept' | 'broken' | 'no-data' => {
  if (observed === null || (n !== null && n < minSamples)) return 'no-data';
  return comparisonOperators[comparison](observed, bound) ? 'kept' : 'broken';
};

export const ratedIn = (
  result: Result,
  name: RateName,
  { stages, traffic }: Objective['scope'],
): readonly number[] => {
  const rate = rates[name];
  if (!result.groups.some(rate.hasData)) return [];
  const kinds = traffic === null ? trafficKinds : [traffic];
  const numbers = ratedSeconds(result.plan, result.scheduled, stages);
  return secondsAt(result, numbers).map((second) =>
    second === undefined ? 0 : rate.of(second, kinds),
  );
};

/**
 * A server's figure is judged only if at least this share of its planned readings is present. With fewer readings, a
 * breach may have gone unseen.
 */
const minServerShare = 0.8;

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

const countBySecond = (instants: readonly number[]): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const each of instants) {
    const second = secondOf(instant(each));
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return counts;
};

const partsWithoutExplained = new WeakMap<RunPart, RunPart>();

/**
 * Removes, from each second of a run, the 429s that a declared limit explains. Returns the same object for the same
 * part of a run.
 */
const withoutExplained = (result: Result, part: RunPart): RunPart => {
  const known = partsWithoutExplained.get(part);
  if (known !== undefined) return known;
  const explained = (measuredRefusals(result) ?? []).filter(({ isExplained }) => isExplained);
  const sent = countBySecond(explained.map((each) => each.sent));
  const ended = countBySecond(explained.map((each) => each.ended));
  const seconds = part.seconds.map((each) => {
    if (each === undefined) return each;
    const { second, due, outcomes } = each;
    const limited = Math.max(0, outcomes.limited - (ended.get(second) ?? 0));
    const left = Math.max(0, due - (sent.get(second) ?? 0));
    return { ...each, due: left, outcomes: { ...outcomes, limited } };
  });
  const rest = { ...part, seconds };
  partsWithoutExplained.set(part, rest);
  return rest;
};

/** Returns how a run with `until: decided` checks whether an objective is sure; `undefined` for any other run. */
const looksOf = (result: Result, { bound, comparison }: Objective, part: RunPart) => {
  if (result.plan.until === undefined) return undefined;
  const isLower = isLowerBound(comparison);
  return {
    dependence: (name: MeasureName, due: { readonly q: number; readonly failed: number }) =>
      dependenceAtBound(part, name, { bound, isLower }, due),
    divisor: doubtOfLooks,
  };
};

/**
 * The interval of a mean allows for rare answers that take up to this many ms. It ignores longer answers, even if
 * deadlines permit them.
 */
const longestRare = 60_000;

/** Returns the longest time, in ms, that the deadlines permit for a rare answer. */
const longestOf = ({ deadlines }: Result['plan'], name: MeasureName): number =>
  Math.min(
    longestRare,
    deadlines.total ?? Infinity,
    name === 'gap' ? (deadlines.idle ?? Infinity) : Infinity,
  );

/**
 * Computes the figure of an objective. `excluded` is the number of 429s that were left out; `null` if it is unknown
 * which 429s a declared limit explains.
 */
export const observeObjective = (result: Result, objective: Objective) => {
  const { figure, scope, quota } = objective;
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && inScope(scope, labels);
  const all = groupsMatching(result, where);
  const groups =
    figure.kind === 'measure'
      ? all.filter(({ labels }) => measures[figure.name].traffic.includes(labels.traffic))
      : all;
  const excluded = quota === undefined ? 0 : countExplained(result, scope, groups);
  const due = sumOutcomes(groups);
  const outcomes = { ...due, limited: due.limited - (excluded ?? 0) };
  const ofAwaited = sumAwaited(groups);
  // The limiter does not know which requests the client plans to abort. So the same share of the 429s is left out of
  // both counts.
  const leftShare = due.limited === 0 ? 1 : outcomes.limited / due.limited;
  const awaited = { ...ofAwaited, limited: Math.round(ofAwaited.limited * leftShare) };
  const whole = runPartOf(result, all);
  const part = excluded === null || excluded === 0 ? whole : withoutExplained(result, whole);
  const isOfEach = isOfEachPopulation(result, all);
  const sources: FigureSources = {
    distribution: (name) => completedDistributionOf(result, name, where),
    // A stop aborts requests, which do not count as failed. So a stopped run counts no arrivals here.
    arrivals: () => (result.partial === null ? awaited : emptyOutcomeCounts()),
    dependenceOfDue: (name, q, failed) => {
      const own = completedDistributionOf(result, name, where);
      return isOfEach || own.count === 0
        ? dependenceOfDue(part, name, q, failed)
        : dependenceOfPopulation(part, name, { q, failed }, own);
    },
    meanHalfWidth: (name) => (isOfEach ? meanHalfWidth(part, name) : null),
    longest: (name) => longestOf(result.plan, name),
    counted: () => ({
      outcomes,
      awaited,
      sent: groups.reduce((sum, { sent }) => sum + sent, 0),
      metAllObjectives: groups.reduce((sum, { good }) => sum + (good?.all ?? 0), 0),
      finished: 'reason' in figure ? countFinishes(groups, figure.reason) : null,
    }),
    dependenceOfShare: (name, counted) => dependenceOfArrivals(part, name, counted),
    cachedPrompts: () => cachedPromptsOf(groups),
    cachedHalfWidth: () => cachedHalfWidth(part, cachedPromptsOf(groups).input),
    server: (name) => serverValues(result, name, scope.stages),
    rated: (name) => ratedIn(result, name, scope),
  };
  return { observed: observeFigure(figure, sources, looksOf(result, objective, part)), excluded };
};

/** Returns whether the whole confidence interval lies on the figure's side of the bound; `null` without an interval. */
export const isSure = (
  { comparison, bound }: Objective,
  { observed, n, low, high, effective, outer = { low, high } }: ObservedValue,
): boolean | null => {
  // With very few independent samples, an interval may have no ends. Such an interval still counts as an interval.
  if (observed === null || (low === null && high === null && (effective ?? n) === n)) return null;
  const keeps = (value: number): boolean => comparisonOperators[comparison](value, bound);
  const [worst, best] = isLowerBound(comparison)
    ? [outer.low, outer.high]
    : [outer.high, outer.low];
  return keeps(observed) ? worst !== null && keeps(worst) : best !== null && !keeps(best);
};

/**
 * Returns `false` if an objective on a share is kept, but by too few arrivals to be sure, even if all arrivals were
 * independent; `null` otherwise. Example: 0 failures of 30 show only that less than 11 % fail, which does not settle a
 * bound of 1 %.
 */
const isShareUnsure = (
  { figure, comparison, bound }: Objective,
  { observed, n }: ObservedValue,
): false | null => {
  if (figure.kind !== 'share' || observed === null || n === null || n === 0) return null;
  const keeps = (value: number): boolean => comparisonOperators[comparison](value, bound);
  const { low, high } = wilsonInterval((observed / 100) * n, n);
  const worst = 100 * (isLowerBound(comparison) ? low : high);
  return keeps(observed) && !keeps(worst) ? false : null;
};

/**
 * Returns whether a verdict is sure, by the confidence interval or, without an interval, by the number of arrivals;
 * `null` if neither decides.
 */
const surenessOf = (objective: Objective, value: ObservedValue): boolean | null =>
  isSure(objective, value) ?? isShareUnsure(objective, value);

/**
 * Returns the bounds of the true figure; `null` if the true figure cannot differ from the observed figure. The load
 * generator's error can make the two figures differ, and so can answers that do not report the figure.
 */
const errorOf = (
  { boundsOfCompleted, boundsOfMean }: FigureErrors,
  { figure, scope }: Objective,
  { observed, level, bounds }: ObservedValue,
): ErrorBounds | null => {
  if (bounds !== undefined) return bounds;
  if (figure.kind !== 'measure' || observed === Number.POSITIVE_INFINITY) return null;
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && inScope(scope, labels);
  if (figure.statistic === 'mean') return boundsOfMean(figure.name, where);
  return level === undefined
    ? null
    : (boundsOfCompleted(figure.name, where)?.(Math.min(1, level)) ?? null);
};

const finite = (value: number | null): number | null =>
  value === Number.POSITIVE_INFINITY ? null : value;

/** Returns whether the true and the observed figure may lie on different sides of the bound. */
const isWithin = (error: ErrorBounds | null, { comparison, bound }: Objective): boolean =>
  error !== null &&
  comparisonOperators[comparison](error.low, bound) !==
    comparisonOperators[comparison](error.high, bound);

const isNeverGiven = ({ server }: Result, { figure }: Objective): boolean =>
  figure.kind === 'server' && serverValuesOf(server?.samples ?? [], figure.name).length === 0;

const findingOf = (
  result: Result,
  objective: Objective,
  observed: ObservedValue,
  error: ErrorBounds | null,
): VerdictReason => {
  const seen = groundsFor(objective, observed);
  const { n, unreported } = observed;
  if (seen === 'no-data') {
    const isNever = isNeverGiven(result, objective) || (n === 0 && unreported !== undefined);
    return isNever ? 'never-given' : seen;
  }
  if (!isWithin(error, objective)) return seen;
  return unreported === undefined ? 'within-error' : 'unreported';
};

interface Circumstances {
  readonly errors: FigureErrors;
  /** The reason why every objective is inconclusive; `null` without such a reason. */
  readonly disqualifiedBecause: VerdictReason | null;
  /** Whether an objective counts as kept only if its verdict is sure. */
  readonly isStrict: boolean;
}

/**
 * Returns the figure by which an objective ended a run. Later answers can improve the figure, but only the value that
 * ended the run counts.
 */
const breachedValue = ({ observed }: Breach, { n }: ObservedValue): ObservedValue => ({
  observed: observed === infiniteFigure ? Number.POSITIVE_INFINITY : observed,
  n,
  low: null,
  high: null,
});

const groundsIn = (
  { partial }: Result,
  objective: Objective,
  found: VerdictReason,
  { sure, isStrict }: { readonly sure: boolean | null; readonly isStrict: boolean },
): VerdictReason => {
  if (partial !== null && found !== 'broken') return 'partial';
  const isDoubtful = sure === false || (sure === null && canBeSure(objective));
  return isStrict && found === 'kept' && isDoubtful ? 'unsure' : found;
};

const unreportedIn = ({ unreported }: ObservedValue): { readonly unreported?: number } =>
  unreported === undefined ? {} : { unreported };

const independenceIn = ({ effective, weak }: ObservedValue) => ({
  ...(effective === undefined ? {} : { effective: Math.floor(effective) }),
  ...(weak ? { weak } : {}),
});

/** Returns the failures that make an interval's upper end infinite. Returns none if the bound is below the figure. */
const failuresIn = ({ failed }: ObservedValue, isOnUpperSide: boolean) =>
  failed !== undefined && isOnUpperSide ? { failed } : {};

const judge = (
  result: Result,
  objective: Objective,
  { errors, disqualifiedBecause, isStrict }: Circumstances,
): ObjectiveVerdict => {
  const { observed: observedValue, excluded } = observeObjective(result, objective);
  const error = errorOf(errors, objective, observedValue);
  const { text, severity, minSamples, figure } = objective;
  const breach = result.breach?.text === text ? result.breach : null;
  const found = findingOf(result, objective, observedValue, error);
  const value = breach === null ? observedValue : breachedValue(breach, observedValue);
  const { observed, n, low, high } = value;
  const seen = found === 'no-data' ? null : surenessOf(objective, value);
  // An interval assumes a steady server. So no verdict is sure if the run was not steady after its warm-up.
  const sure = seen === null ? null : seen && result.warmUp?.isSteady !== false;
  const grounds =
    disqualifiedBecause ??
    (breach === null ? groundsIn(result, objective, found, { sure, isStrict }) : 'aborted');
  return {
    text,
    severity,
    ruling: rulingByReason[grounds],
    grounds,
    observed: finite(observed),
    unit: unitOfFigure(figure),
    n,
    ...independenceIn(value),
    ...failuresIn(value, (found === 'kept') === objective.comparison.startsWith('<')),
    ...(objective.quota === undefined ? {} : { excluded }),
    ...('statistic' in figure ? { statistic: figure.statistic } : {}),
    minSamples,
    low: finite(low),
    high: finite(high),
    ...unreportedIn(observedValue),
    ...(error === null || breach !== null
      ? {}
      : { error: { low: error.low, high: Number.isFinite(error.high) ? error.high : null } }),
    sure,
  };
};

/**
 * Judges the plan's objectives. An objective fails if it has too few samples. An objective is inconclusive if the load
 * generator may have moved the figure across its bound, or if the server never reported the figure. If the run is
 * invalid or incomplete, all objectives are inconclusive. If the run was stopped, all except broken objectives are
 * inconclusive. Confidence intervals matter only if `isStrict` is set: then an objective without a sure verdict is
 * inconclusive instead of kept.
 */
export const judgeObjectives = (
  result: Result,
  trust: Trust,
  isStrict = false,
): ObjectiveVerdict[] => {
  const isIncomplete = missingSlices(result).length > 0;
  const disqualifiedBecause = isIncomplete
    ? 'incomplete'
    : trust.level === 'invalid'
      ? 'unfit'
      : null;
  const errors = figureErrorsOf(result);
  return result.plan.objectives.map((objective) =>
    judge(result, objective, { errors, disqualifiedBecause, isStrict }),
  );
};
