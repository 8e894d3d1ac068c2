import type { LimitCheck } from '../../../model/limits/limit-log.ts';
import type { LimitReport } from '../model/limit-report.ts';
import {
  failed,
  type JunitCase,
  junitFile,
  passed,
  skipped,
} from '../../../report/junit/junit-file.ts';
import { checkOutcomeOf, limitsVerdictText, reasonsText, sourceText } from './limits-document.ts';

const caseOf = (check: LimitCheck): JunitCase => {
  const details = [check.observed, ...check.evidence].join('\n');
  const outcomes = {
    holds: passed,
    'does not hold': passed,
    violated: failed('limit-violated', check.observed, details),
    undecided: skipped(`undecided: ${check.observed}`),
  };
  const name = `${check.id} (${sourceText(check)}): ${check.claim}`;
  return { classname: 'limits', name, outcome: outcomes[checkOutcomeOf(check)] };
};

/** Writes the claims as JUnit tests: violated limits fail, undecided claims are skipped, and all others pass. */
export const limitsJunit = (report: LimitReport): string =>
  junitFile({
    name: `weir limits ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: {
      weir: report.weir,
      model: report.model,
      verdict: report.judgement.verdict,
    },
    cases: report.judgement.checks.map(caseOf),
    output: [
      limitsVerdictText(report),
      reasonsText(report),
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });
