import {
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { capacityReportSchema } from '../model/capacity.ts';
import { capacityDocument } from './capacity-document.ts';
import { sampleCapacity } from './sample-capacity.fixture.ts';

const capacity = sampleCapacity();

describeWholePages({
  'a search for capacity': capacityDocument(capacity),
  'a search for capacity without an answer': capacityDocument(
    sampleCapacity({ answer: null, fit: null, steps: capacity.steps.slice(2, 3) }),
  ),
});
describeStoredReports({ 'a search for capacity': [capacityReportSchema, capacity] });
