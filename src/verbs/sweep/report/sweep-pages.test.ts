import {
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { sweepReportSchema } from '../model/sweep.ts';
import { sampleSweep } from './sample-sweep.fixture.ts';
import { sweepDocument, sweepOverview } from './sweep-document.ts';

describeWholePages({
  'a sweep': sweepDocument(sampleSweep()),
  'a sweep on a terminal': sweepOverview(sampleSweep()),
});
describeStoredReports({ 'a sweep': [sweepReportSchema, sampleSweep()] });
