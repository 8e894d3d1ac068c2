import { promptCacheFigures } from '../../model/result/prompt-cache-figures.ts';
import { figureErrorsOf } from '../../judge/errors/figure-errors.ts';
import { type PercentileName, percentiles } from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import {
  countArrivals,
  hasNothingSucceeded,
  sumAwaited,
  sumFinishes,
  sumOutcomes,
} from '../../model/measures/outcome-counts.ts';
import { counts, type RateName, rateNames, rates } from '../../model/measures/run-figures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  type FiguresSummary,
  type RunSummary,
  type TrafficSummary,
} from '../../model/result/run-summary.ts';
import {
  figuresOver,
  groupsMatching,
  type LabelFilter,
  measuredWindow,
  measuresPresent,
  missingSlices,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import type { RunReport, RunVerdicts, TrueValueBounds, Verdict } from '../input/run-report.ts';
import { runTotalsOf } from '../../report/run/cost.ts';
import { isWithheld, kindsPresent, measuredOf } from '../../report/summary/figures.ts';
import { objectiveFindingText } from '../../report/summary/objective-text.ts';
import { runVerdict } from '../../report/summary/run-verdict.ts';
import { type ExitName, exitCode } from './exit-codes.ts';
import {
  exitForVerdicts,
  leavesLimitsUndecided,
  leavesUndecided,
  type JudgedResult,
} from './judge-result.ts';
import type { ErrorBounds, TrustLevel } from '../../model/result/verdict.ts';
import { sumOf } from '../../model/sums.ts';

const trustVerdicts = {
  valid: 'pass',
  degraded: 'inconclusive',
  invalid: 'fail',
} as const satisfies Record<TrustLevel, Verdict>;

/** Replaces infinity by `null`, since JSON has no infinity. */
const finiteBounds = ({ low, high }: ErrorBounds): TrueValueBounds => ({
  low,
  high: Number.isFinite(high) ? high : null,
});

const limitsVerdict = ({ limits }: Result): RunVerdicts['limits'] => {
  if (limits?.judged !== true) return null;
  const checks = limits.keys.flatMap((key) => key.checks);
  const isUndecided = checks.some(({ finding }) => finding === 'undecided');
  return {
    verdict: limits.violated ? 'fail' : isUndecided ? 'inconclusive' : 'pass',
    checks: checks.map(({ claim, finding, observed }) => `${finding}: ${claim} ${observed}`),
  };
};

export const verdictsOf = (judged: JudgedResult): RunVerdicts => {
  const { result, trust } = judged;
  const limits = limitsVerdict(result);
  const decisive = (result.verdicts ?? []).filter(({ severity }) => severity === 'fail');
  const has = (ruling: Verdict): boolean =>
    limits?.verdict === ruling || decisive.some((verdict) => verdict.ruling === ruling);
  const isDecided = exitForVerdicts(judged) === 'pass' && !has('inconclusive');
  return {
    overall: has('fail') ? 'fail' : isDecided ? 'pass' : 'inconclusive',
    trust: {
      ...trust,
      verdict: trustVerdicts[trust.level],
      figures: trust.figures.map((figure) => ({ ...figure, ...finiteBounds(figure) })),
    },
    objectives: (result.verdicts ?? []).map(
      ({ text, ruling, grounds, severity, observed, unit, n, low, high, error }) => ({
        objective: text,
        verdict: ruling,
        reason: grounds,
        severity,
        observed,
        unit,
        n,
        low,
        high,
        ...(error === undefined ? {} : { error }),
      }),
    ),
    limits,
  };
};

export interface SummarizedResult extends JudgedResult {
  readonly result: Result & { readonly summary: RunSummary };
}

const countsOf = (result: Result): RunSummary['counts'] => {
  const groups = groupsMatching(result, outsideWarmUp);
  const counted = {
    outcomes: sumOutcomes(groups),
    awaited: sumAwaited(groups),
    sent: sumOf(groups, ({ sent }) => sent),
    metAllObjectives: sumOf(groups, ({ good }) => good?.all ?? 0),
    finished: null,
  };
  return Object.fromEntries(
    Object.entries(counts).map(([name, { of }]) => [name, of(counted)]),
  ) as RunSummary['counts'];
};

const ratesOf = (result: Result): RunSummary['rates'] => {
  const window = measuredWindow(result);
  const rateOf = (name: RateName): number | null => {
    if (window === null || !result.groups.some(rates[name].hasData)) return null;
    const sum = sumOf(window.timeline, (second) => rates[name].of(second, trafficKinds));
    return sum / window.seconds;
  };
  return Object.fromEntries(rateNames.map((name) => [name, rateOf(name)])) as RunSummary['rates'];
};

/** Returns the figures of one measure over the groups that match `where`; `null` without samples. */
const figuresOf = (
  result: Result,
  { boundsOf }: ReturnType<typeof figureErrorsOf>,
  name: MeasureName,
  where: LabelFilter,
): FiguresSummary | null => {
  const figures = figuresOver(result, name, where);
  const { count: n, mean, max } = figures;
  if (mean === null || max === null) return null;
  const isSpeed = measures[name].better === 'higher';
  const found = Object.entries(percentiles)
    .filter(([percentile]) => isSpeed || percentile !== 'p5')
    .map(([percentile, q]) => ({
      percentile: percentile as PercentileName,
      q,
      figure: figures.percentile(q)!,
    }));
  const boundsAt = boundsOf(name, where);
  const named = <Value>(valueOf: (one: (typeof found)[number]) => Value) =>
    Object.fromEntries(found.map((one) => [one.percentile, valueOf(one)])) as Record<
      Exclude<PercentileName, 'p5'>,
      Value
    > & { readonly p5?: Value };
  return {
    unit: measures[name].unit,
    n,
    mean,
    ...named(({ figure }) => figure.value),
    max,
    weak: found.flatMap(({ percentile, figure }) => (figure.weak ? [percentile] : [])),
    intervals: named(({ figure: { low, high } }) => ({ low, high })),
    errors: boundsAt === null ? {} : named(({ q }) => finiteBounds(boundsAt(q))),
  };
};

const trafficOf = (
  { result, trust }: JudgedResult,
  errors: ReturnType<typeof figureErrorsOf>,
  where: LabelFilter,
): TrafficSummary => {
  const groups = groupsMatching(result, where);
  const outcomes = sumOutcomes(groups);
  const finishes = sumFinishes(groups);
  const figures = measuresPresent(result, where)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) => {
      const found = figuresOf(result, errors, name, where);
      return found === null ? [] : [[name, found] as const];
    });
  return {
    due: countArrivals(outcomes),
    outcomes,
    ...(finishes.length === 0 ? {} : { finishReasons: Object.fromEntries(finishes) }),
    ...Object.fromEntries(figures),
  };
};

const entriesOf = (
  judged: JudgedResult,
  errors: ReturnType<typeof figureErrorsOf>,
): RunSummary['entries'] => {
  const kindByName = new Map(
    groupsMatching(judged.result, outsideWarmUp).flatMap(({ labels: { entry, traffic } }) =>
      entry === undefined ? [] : [[entry, traffic] as const],
    ),
  );
  return Object.fromEntries(
    Array.from(kindByName, ([name, traffic]) => {
      const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.entry === name;
      return [name, { traffic, ...trafficOf(judged, errors, where) }];
    }),
  );
};

const costOf = (result: Result): RunSummary['cost'] => {
  const cost = runTotalsOf(result)?.all.cost;
  if (cost === undefined || cost.known + cost.unknown === 0) return null;
  return { total: cost.known === 0 ? null : Math.round(cost.total) / 1e6, unknown: cost.unknown };
};

/** Returns a sentence for each reason why the exit code is not 0. */
const exitReasons = (
  { result, trust, isStrict = false }: JudgedResult,
  exit: ExitName,
): readonly string[] => {
  if (exit === 'pass') return [];
  const failing = (result.verdicts ?? []).filter(
    (verdict) =>
      (verdict.ruling === 'fail' && verdict.severity === 'fail') ||
      (isStrict && leavesUndecided(verdict)),
  );
  const isUnusable =
    trust.level === 'invalid' ||
    missingSlices(result).length > 0 ||
    result.partial !== null ||
    hasNothingSucceeded(sumOutcomes(groupsMatching(result, outsideWarmUp)));
  return [
    ...(isUnusable ? runVerdict(result, trust).against : []),
    ...(result.limits?.violated === true ? ['A rate limit is violated.'] : []),
    ...(isStrict && leavesLimitsUndecided(result) ? ['The rate limits are undecided.'] : []),
    ...failing.map((verdict) => `${verdict.text}: ${objectiveFindingText(verdict)}.`),
  ];
};

const promptCacheOf = (result: Result): Pick<RunSummary, 'promptCache'> => {
  const figures = promptCacheFigures(result);
  if (figures === null) return {};
  const { expected, reported, inferred, silent } = figures;
  const percentOf = ({ tokens, input }: typeof expected): number | null =>
    input === 0 ? null : (tokens / input) * 100;
  const isUnknown = typeof inferred === 'string';
  const ofPrompts = isUnknown ? 0 : inferred.repeatedShare * 100;
  return {
    promptCache: {
      expected: percentOf(expected),
      reported: percentOf(reported),
      inferred: isUnknown
        ? null
        : {
            value: inferred.hits * ofPrompts,
            low: inferred.low * ofPrompts,
            high: inferred.high * ofPrompts,
          },
      unreported: silent,
    },
  };
};

const summaryOf = (judged: JudgedResult, stop: ExitName | null): RunSummary => {
  const { result, trust } = judged;
  const { overall, objectives, limits } = verdictsOf(judged);
  const exit = stop ?? exitForVerdicts(judged);
  const errors = figureErrorsOf(result);
  return {
    verdict: overall,
    exit: { code: exitCode(exit), reasons: [...exitReasons(judged, exit)] },
    trust: trust.level,
    counts: countsOf(result),
    rates: ratesOf(result),
    cost: costOf(result),
    ...promptCacheOf(result),
    objectives: objectives.map((objective) => ({ ...objective })),
    limits: limits?.verdict ?? null,
    kinds: Object.fromEntries(
      kindsPresent(result).map((kind) => [kind, trafficOf(judged, errors, measuredOf(kind))]),
    ),
    entries: entriesOf(judged, errors),
  };
};

/** Adds the summary to a judged result. If the run was stopped, `stop` is the exit for this way of stopping. */
export const summarized = (
  judged: JudgedResult,
  stop: ExitName | null = null,
): SummarizedResult => {
  const { result } = judged;
  const { format, weir, runId } = result;
  const summary = summaryOf(judged, stop);
  // The fields that interest most readers come first in the file.
  const first = { format, weir, runId, summary };
  return { ...judged, result: { ...first, ...result, summary } };
};

export const reportOf = (judged: SummarizedResult): RunReport => ({
  summary: judged.result.summary,
  verdicts: verdictsOf(judged),
  result: judged.result,
});
