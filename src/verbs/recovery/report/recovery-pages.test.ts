import {
  describeOtherPages,
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { recoveryReportSchema, unknownReasons } from '../model/recovery-report.ts';
import { recoveryDocument } from './recovery-document.ts';
import { samplePolicy, sampleRecovery } from './sample-recovery.fixture.ts';

const recoveries = [
  ...unknownReasons.map(
    (reason) =>
      [
        `of which one is unknown: ${reason}`,
        sampleRecovery({
          policies: [
            samplePolicy(),
            samplePolicy({
              policy: 'backoff',
              state: 'unknown',
              reason,
              needs: 95_000,
              after: null,
            }),
          ],
        }),
      ] as const,
  ),
  [
    'that is stuck, and one that retries alone keep down',
    sampleRecovery({
      policies: [
        samplePolicy({ state: 'stuck', after: null }),
        samplePolicy({ policy: 'backoff', state: 'kept', after: null }),
      ],
    }),
  ],
  [
    'that was stopped before it knew anything, and named no wait',
    sampleRecovery({
      partial: 'stopped by SIGINT',
      policies: [
        samplePolicy({
          policy: 'retry-after',
          state: 'unknown',
          reason: 'partial',
          within: null,
          resolution: null,
          windows: [],
          named: 0,
        }),
      ],
    }),
  ],
] as const;

const usual = recoveryDocument(sampleRecovery());

describeWholePages({ 'a recovery': usual });
describeOtherPages(
  usual,
  Object.fromEntries(
    recoveries.map(([name, report]) => [`a recovery ${name}`, recoveryDocument(report)]),
  ),
);
describeStoredReports({ 'a recovery': [recoveryReportSchema, sampleRecovery()] });
