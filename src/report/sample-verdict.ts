import type { ObjectiveVerdict } from '../model/objective-verdict.ts';

/** A kept objective for tests; any field can be another. */
export const sampleVerdict = (differing: Partial<ObjectiveVerdict> = {}): ObjectiveVerdict => ({
  text: 'ttft.p95{stage=peak} < 800ms',
  severity: 'fail',
  ruling: 'pass',
  grounds: 'kept',
  observed: 684,
  unit: 'ms',
  n: 760,
  minSamples: 200,
  low: 566,
  high: 746,
  sure: true,
  ...differing,
});
