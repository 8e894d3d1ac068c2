import {
  describeStoredReports,
  describeTestCaseFiles,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { compareChecks } from '../judge/compare-checks.ts';
import { checkReportSchema } from '../model/check-report.ts';
import { checkComparisonDocument, checkComparisonJunit } from './check-comparison-document.ts';
import { checkDocument, checkOverview } from './check-document.ts';
import { checkJunit } from './check-junit.ts';
import { fullCheck, sampleCheck, sampleRow } from './sample-check.fixture.ts';

const [before, after] = [
  sampleCheck([
    sampleRow({ id: 'kept', outcome: 'pass' }),
    sampleRow({ id: 'fell', outcome: 'pass' }),
    sampleRow({ id: 'rose', outcome: 'violation', observed: 'was odd' }),
    sampleRow({ id: 'gone', outcome: 'pass' }),
  ]),
  sampleCheck(
    [
      sampleRow({ id: 'kept', outcome: 'pass' }),
      sampleRow({ id: 'fell', outcome: 'violation', observed: 'is odd' }),
      sampleRow({ id: 'rose', outcome: 'deviation', observed: 'is nearly right' }),
      sampleRow({ id: 'fresh', outcome: 'unchecked', observed: 'no model' }),
    ],
    { startedAt: '2026-08-01T10:20:30.000Z' },
  ),
] as const;
const each = (['violation', 'deviation', 'pass', 'unchecked'] as const).flatMap((outcome) => [
  sampleRow({ id: `${outcome}.a`, outcome, observed: `a is ${outcome}`, expected: 'another' }),
  sampleRow({ id: `${outcome}.b`, outcome, observed: `b is ${outcome}`, section: '8' }),
]);

describeWholePages({
  'a check': checkDocument(sampleCheck(each)),
  'a check on a terminal': checkOverview(fullCheck()),
  'two checks': checkComparisonDocument(compareChecks(before, after)),
});
describeTestCaseFiles({
  'a check': checkJunit(sampleCheck(each), false),
  'a strict check': checkJunit(sampleCheck(each), true),
  'two checks': checkComparisonJunit(compareChecks(before, after)),
});
describeStoredReports({ 'a check': [checkReportSchema, fullCheck()] });
