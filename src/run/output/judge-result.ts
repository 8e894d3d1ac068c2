import { judgeObjectives } from '../../judge/objectives/judge-objectives.ts';
import { judgeRunLimits } from '../../judge/limits/run/judge-run-limits.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { hasNothingSucceeded, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { errorBarOf } from '../../model/result/error-bar.ts';
import { failsRun, type ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching, missingSlices, outsideWarmUp } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { type ExitName, gravestExit } from './exit-codes.ts';

export interface JudgedResult {
  readonly result: Result;
  readonly trust: Trust;
  /** Whether an objective also fails if it is not sure, or if the measurement error leaves it undecided. */
  readonly isStrict?: boolean;
}

/**
 * Judges everything except the limits. Limits are judged separately, since judging limits takes long with many
 * requests.
 */
export const judgeFigures = (result: Result, isStrict = false): JudgedResult => {
  const trust = judgeTrust(result);
  const verdicts = judgeObjectives(result, trust, isStrict);
  const errorBar = errorBarOf(result);
  return {
    result: { ...result, verdicts, ...(errorBar === null ? {} : { errorBar }) },
    trust,
    isStrict,
  };
};

export const judgeResult = (unjudged: Result, isStrict = false): JudgedResult => {
  const { result, trust } = judgeFigures(unjudged, isStrict);
  return { result: { ...result, limits: judgeRunLimits(result, trust) }, trust, isStrict };
};

/**
 * Returns whether a part of the plan was not sent. Returns `false` if a broken objective ended the run, since this end
 * has its own exit code.
 */
const isIncomplete = (result: Result): boolean =>
  missingSlices(result).length > 0 || (result.partial !== null && result.breach === undefined);

/** Returns whether the verdict on an objective leaves a strict run undecided. */
export const leavesUndecided = ({ severity, grounds }: ObjectiveVerdict): boolean =>
  severity === 'fail' && ['unsure', 'within-error', 'unreported'].includes(grounds);

/**
 * Returns whether the verdict on the limits leaves a strict run undecided: no violation was found, but a violation is
 * not excluded.
 */
export const leavesLimitsUndecided = ({ limits }: Result): boolean =>
  limits?.judged === true &&
  !limits.violated &&
  (limits.keys.length === 0 ||
    limits.keys.some(({ checks }) =>
      checks.some(({ violates, finding }) => violates && finding === 'undecided'),
    ));

export const exitForVerdicts = ({
  result,
  trust,
  isStrict = false,
  written = 'pass',
}: JudgedResult & { readonly written?: 'pass' | 'unwritten' }): ExitName => {
  const nothingSucceeded = hasNothingSucceeded(sumOutcomes(groupsMatching(result, outsideWarmUp)));
  return gravestExit([
    ...(isIncomplete(result) ? (['incomplete'] as const) : []),
    ...(trust.level === 'invalid' ? (['invalid'] as const) : []),
    ...(nothingSucceeded ? (['empty'] as const) : []),
    ...(result.limits?.violated === true ? (['violated'] as const) : []),
    ...((result.verdicts ?? []).some(failsRun) ? (['objective'] as const) : []),
    ...(isStrict && ((result.verdicts ?? []).some(leavesUndecided) || leavesLimitsUndecided(result))
      ? (['inconclusive'] as const)
      : []),
    written,
  ]);
};
