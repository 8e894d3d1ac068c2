import type { LimitCheck } from '../../model/limits/limit-log.ts';
import type { LimitReport } from '../../model/limits/limit-report.ts';
import { type JunitCase, junitFile } from '../junit/junit-file.ts';
import { checkOutcomeOf, checkSectionText, limitsVerdictText } from './limits-text.ts';

const nameOf = (check: LimitCheck): string =>
  `${check.id} (${checkSectionText(check)}): ${check.claim}`;

const caseOf = (check: LimitCheck): JunitCase => {
  const outcome = checkOutcomeOf(check);
  const named = { classname: 'limits', name: nameOf(check) };
  if (outcome === 'violated') {
    const details = [check.observed, ...check.evidence].join('\n');
    const failed = { kind: 'failed', type: 'limit-violated', details } as const;
    return { ...named, outcome: { ...failed, message: check.observed } };
  }
  return outcome === 'undecided'
    ? { ...named, outcome: { kind: 'skipped', message: `undecided: ${check.observed}` } }
    : { ...named, outcome: { kind: 'passed' } };
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
