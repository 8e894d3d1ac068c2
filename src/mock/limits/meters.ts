import type { LimiterKind } from '../../model/mock-limits.ts';
import { burstBucket, leakyQueue, steppedBucket, tokenBucket } from './buckets.ts';
import { slidingLog, slidingLogCountingRefusals } from './logs.ts';
import type { Meter, Rule } from './meter.ts';
import { fixedAligned, fixedFromFirst, slidingCounter } from './windows.ts';

/** A cap on requests in flight looks at no time and has a gauge of its own (`allowance.ts`). */
export type TimedKind = Exclude<LimiterKind, 'in-flight'>;

/** A new meter of each algorithm. */
export const meters = {
  'fixed-from-first': fixedFromFirst,
  'fixed-aligned': fixedAligned,
  'sliding-log': slidingLog,
  'sliding-log-counting-refusals': slidingLogCountingRefusals,
  'sliding-counter': slidingCounter,
  'token-bucket': tokenBucket,
  'burst-bucket': burstBucket,
  'stepped-bucket': steppedBucket,
  'leaky-queue': leakyQueue,
} as const satisfies Record<TimedKind, (rule: Rule) => Meter>;
