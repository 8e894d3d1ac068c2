import { measures } from '../../model/measures/measures.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { quantile } from '../../model/measures/quantile.ts';
import { counts, type RateName, rateNames, rates } from '../../model/measures/run-figures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  distributionOf,
  groupsMatching,
  type LabelFilter,
  measuredWindow,
  measuresPresent,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import type { ErrorBounds, TrustLevel } from '../../model/result/verdict.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { figureErrorOf, isWithheld, kindsPresent } from '../../report/summary/figures.ts';
import { exitForVerdicts, type JudgedResult } from './publish.ts';

import type { RunReport, RunVerdicts, TrueValueBounds, Verdict } from '../input/run-report.ts';

const trustVerdicts = {
  valid: 'pass',
  degraded: 'inconclusive',
  invalid: 'fail',
} as const satisfies Record<TrustLevel, Verdict>;

/** JSON has no infinity. */
const boundsOf = ({ low, high }: ErrorBounds): TrueValueBounds => ({
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

/** The verdicts of a judged result. */
export const verdictsOf = (judged: JudgedResult): RunVerdicts => {
  const { result, trust } = judged;
  const limits = limitsVerdict(result);
  const decisive = (result.verdicts ?? []).filter(({ severity }) => severity === 'fail');
  const has = (ruling: Verdict): boolean =>
    limits?.verdict === ruling || decisive.some((verdict) => verdict.ruling === ruling);
  const isDecided = exitForVerdicts({ result, trust }) === 'pass' && !has('inconclusive');
  return {
    overall: has('fail') ? 'fail' : isDecided ? 'pass' : 'inconclusive',
    trust: {
      ...trust,
      verdict: trustVerdicts[trust.level],
      figures: trust.figures.map((figure) => ({ ...figure, ...boundsOf(figure) })),
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

const countsOf = (result: Result): RunReport['counts'] => {
  const groups = groupsMatching(result, outsideWarmUp);
  const counted = {
    outcomes: sumOutcomes(groups),
    sent: groups.reduce((sum, { sent }) => sum + sent, 0),
    metAllObjectives: groups.reduce((sum, { good }) => sum + (good?.all ?? 0), 0),
  };
  return Object.fromEntries(
    Object.entries(counts).map(([name, { of }]) => [name, of(counted)]),
  ) as RunReport['counts'];
};

const ratesOf = (result: Result): RunReport['rates'] => {
  const window = measuredWindow(result);
  const rateOf = (name: RateName): number | null => {
    if (window === null || !result.groups.some(rates[name].hasData)) return null;
    const sum = window.timeline.reduce(
      (soFar, second) => soFar + rates[name].of(second, trafficKinds),
      0,
    );
    return sum / window.seconds;
  };
  return Object.fromEntries(rateNames.map((name) => [name, rateOf(name)])) as RunReport['rates'];
};

const percentilesOf = ({ result, trust }: JudgedResult): RunReport['percentiles'] =>
  Object.fromEntries(
    kindsPresent(result).map((kind) => {
      const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.traffic === kind;
      const shown = measuresPresent(result, where).filter((name) => !isWithheld(name, trust));
      const entries = shown.map((name) => {
        const histogram = distributionOf(result, name, where);
        const at = (q: number): number => quantile(histogram, q)?.value ?? 0;
        const { count } = histogram;
        const { unit } = measures[name];
        const errors = [0.5, 0.95, 0.99].flatMap((q) => {
          const error = figureErrorOf(trust, kind, name, q);
          return error === null ? [] : [[`p${q * 100}`, boundsOf(error)] as const];
        });
        return [
          name,
          {
            unit,
            count,
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) }),
          },
        ];
      });
      return [kind, Object.fromEntries(entries)];
    }),
  );

/** A judged result as plain numbers. */
export const reportOf = (judged: JudgedResult): RunReport => ({
  counts: countsOf(judged.result),
  rates: ratesOf(judged.result),
  percentiles: percentilesOf(judged),
  verdicts: verdictsOf(judged),
  result: judged.result,
});
