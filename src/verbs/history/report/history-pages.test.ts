import { describeWholePages } from '../../../report/document/page-tests.fixture.ts';
import { baselinesDocument, historyDocument } from './history-document.ts';
import { sampleTrend } from './sample-history.fixture.ts';

const trend = sampleTrend();
const runs = trend.runs.map((run, i) => ({
  ...run,
  baselines: i < 2 ? ['good', 'main'] : i < 3 ? ['main'] : [],
}));

describeWholePages({
  'a history': historyDocument('0.1.0', [trend]),
  'a history without runs': historyDocument('0.1.0', []),
  'all baselines': baselinesDocument('0.1.0', runs, null),
  'one baseline': baselinesDocument('0.1.0', runs, 'good'),
  'a baseline that is none': baselinesDocument('0.1.0', runs, 'odd'),
});
