import type { Result } from '../../model/result/result.ts';
import type { ErrorBounds, TrustLevel } from '../../model/result/verdict.ts';
import type { RunVerdicts, TrueValueBounds, Verdict } from '../input/run-report.ts';
import { exitForVerdicts, type JudgedResult } from './judge-result.ts';

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
