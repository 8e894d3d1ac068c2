// @gate 1 s
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { groupRecorder } from './groups.ts';
import { itObeysTheLaws } from './recorder-suite.fixture.ts';

const anyScope = { traffic: null, model: null, key: null, stages: null };
const plan = samplePlan({
  perRequest: [
    { text: 'a', measure: 'endToEnd', scope: anyScope, comparison: '<', bound: 800 },
    { text: 'b', measure: 'ttft', scope: anyScope, comparison: '<', bound: 500 },
  ],
});

itObeysTheLaws('the groups', groupRecorder(plan));
