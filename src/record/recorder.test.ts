// @gate 2 s
import * as fc from 'fast-check';
import { exemplarRecorder } from './exemplars.ts';
import { failureRecorder } from './failures.ts';
import { ledgerRecorder } from './ledger.ts';
import { requestSampleRecorder } from './request-sample.ts';
import { anyObservation, itObeysTheLaws } from './recorder-suite.fixture.ts';
import { timelineRecorder } from './timeline.ts';

/** Generates refusals with a new code and message each, like those of a server that fills the client's memory. */
const unruly = fc.array(
  fc
    .tuple(anyObservation, fc.oneof(fc.constant(0), fc.nat(39)), fc.nat(29))
    .map(([observation, code, message]) => ({
      ...observation,
      outcome: {
        kind: 'refused' as const,
        refusal: {
          status: 500,
          form: 'error' as const,
          type: null,
          code: `code-${String.fromCodePoint(0x100 + code)}`,
          message: `message ${String.fromCodePoint(0x200 + message)}`,
        },
      },
    })),
  { maxLength: 120 },
);

itObeysTheLaws('the timeline', timelineRecorder());
itObeysTheLaws('the timeline with a single open second', timelineRecorder(1));
itObeysTheLaws('the failures', failureRecorder);
itObeysTheLaws('the failures beyond their caps', failureRecorder, {
  observations: unruly,
  runs: 15,
});
itObeysTheLaws('the exemplars', exemplarRecorder);
itObeysTheLaws('the exemplars beyond their caps', exemplarRecorder, {
  observations: fc.array(anyObservation, { minLength: 60, maxLength: 120 }),
  runs: 4,
});
itObeysTheLaws('the sample of requests', requestSampleRecorder({ seed: 7 }));
itObeysTheLaws(
  'the sample of requests beyond its size',
  requestSampleRecorder({ seed: 7 }, { completed: 5, failed: 3 }),
);
itObeysTheLaws('the ledger', ledgerRecorder());
itObeysTheLaws('the ledger beyond its cap', ledgerRecorder(3));
