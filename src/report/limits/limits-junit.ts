import type { LimitCheck } from '../../model/limits/limit-log.ts';
import type { LimitReport } from '../../model/limits/limit-report.ts';
import { failed, type JunitCase, junitFile, passed, skipped } from '../junit/junit-file.ts';
import { checkOutcomeOf, checkSectionText, limitsVerdictText } from './limits-text.ts';

const caseOf = (check: LimitCheck): JunitCase => {
  const details = [check.observed, ...check.evidence].join('\n');
  const outcomes = {
    holds: passed,
    'does not hold': passed,
    violated: failed('limit-violated', check.observed, details),
    undecided: skipped(`undecided: ${check.observed}`),
  };
  const name = `${check.id} (${checkSectionText(check)}): ${check.claim}`;
  return { classname: 'limits', name, outcome: outcomes[checkOutcomeOf(check)] };
};

/** The claims as JUnit tests: a violated limit fails, an undecided claim is skipped, any other false claim is only listed in the output. */
export const limitsJunit = (report: LimitReport): string =>
  junitFile({
    name: `weir limits ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: { weir: report.weir, model: report.model },
    cases: report.judgement.checks.map(caseOf),
    output: [
      limitsVerdictText(report),
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });
