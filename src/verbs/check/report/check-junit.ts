import type { CheckReport, CheckRow } from '../model/check-report.ts';
import {
  failed,
  type JunitCase,
  junitFile,
  passed,
  skipped,
} from '../../../report/junit/junit-file.ts';
import { checkVerdict } from './check-document.ts';

const outcomeOf = (
  { outcome, observed, expected, sentence, section, evidence }: CheckRow,
  isStrict: boolean,
): JunitCase['outcome'] => {
  const details = [`§ ${section}: ${sentence}`, `expected: ${expected}`, observed, ...evidence];
  switch (outcome) {
    case 'violation':
      return failed('interface-violation', observed, details.join('\n'));
    case 'deviation':
      return isStrict ? failed('interface-deviation', observed, details.join('\n')) : passed;
    case 'unchecked':
      return skipped(observed);
    case 'exempt':
    case 'open':
    case 'pass':
      return passed;
  }
};

/**
 * Writes the checks as JUnit tests. Violations fail, undecided checks are skipped, and deviations fail only if
 * `isStrict` is set.
 */
export const checkJunit = (report: CheckReport, isStrict: boolean): string =>
  junitFile({
    name: `weir check ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: { weir: report.weir, profile: report.profile },
    cases: report.rows.map((row) => ({
      classname: `check.${row.topic}`,
      name: row.id,
      outcome: outcomeOf(row, isStrict),
    })),
    output: [
      checkVerdict(report).text,
      ...report.rows.map(({ id, outcome, observed }) => `${id}: ${outcome}: ${observed}`),
    ],
  });
