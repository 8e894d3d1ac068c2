import type { MockLimiterClass } from '../../model/gateway/mock-limits.ts';
import { burstBucket, leakyQueue, steppedBucket, tokenBucket } from './buckets.ts';
import { slidingLog, slidingLogCountingRefusals } from './sliding-log.ts';
import type { Meter, MeterRule } from './meter.ts';
import { fixedAligned, fixedFromFirst, slidingCounter } from './windows.ts';

/** A cap on requests in flight does not depend on time and needs no meter (`key-limiter.ts`). */
export type RateLimiterKind = Exclude<MockLimiterClass, 'in-flight'>;

/** Opens a meter of each algorithm. */
export const openMeter = {
  'fixed-from-first': fixedFromFirst,
  'fixed-aligned': fixedAligned,
  'sliding-log': slidingLog,
  'sliding-log-counting-refusals': slidingLogCountingRefusals,
  'sliding-counter': slidingCounter,
  'token-bucket': tokenBucket,
  'burst-bucket': burstBucket,
  'stepped-bucket': steppedBucket,
  'leaky-queue': leakyQueue,
} as const satisfies Record<RateLimiterKind, (rule: MeterRule) => Meter>;
