import {
  admit,
  type DecisionRule,
  type ForeignLimiter,
  type LimiterSetting,
  refuse,
} from './foreign-limiter.fixture.ts';

/** Whole tokens, and what is left of one as a rounding error. */
const greedyBucket = ({ limit, window, start }: LimiterSetting): DecisionRule => {
  let tokens = limit;
  let error = 0;
  let last = start;
  return (now) => {
    const elapsed = Math.max(0, now - last);
    last = Math.max(now, last);
    const divided = elapsed * limit + error;
    tokens += Math.floor(divided / window);
    error = divided % window;
    if (tokens >= limit) {
      tokens = limit;
      error = 0;
    }
    if (tokens < 1) return refuse((window - error) / limit);
    tokens -= 1;
    return admit(tokens);
  };
};

/** `amount` tokens at each multiple of `interval` since `origin`. */
const intervalBucket = (
  capacity: number,
  refill: { readonly amount: number; readonly interval: number; readonly origin: number },
): DecisionRule => {
  let tokens = capacity;
  let last = refill.origin;
  return (now) => {
    const intervals = Math.max(0, Math.floor((now - last) / refill.interval));
    tokens = Math.min(capacity, tokens + intervals * refill.amount);
    last += intervals * refill.interval;
    if (tokens < 1) return refuse(last + refill.interval - now);
    tokens -= 1;
    return admit(tokens);
  };
};

/** Cycles since the class was loaded; permits do not add up beyond one cycle. */
const cycles = ({ limit, window, start }: LimiterSetting, timeout: number): DecisionRule => {
  let cycle = 0;
  let permits = limit;
  return (now) => {
    const current = Math.floor((now - start) / window);
    permits = Math.min(limit, permits + (current - cycle) * limit);
    cycle = current;
    const toNext = start + (current + 1) * window - now;
    const missing = Math.max(0, Math.ceil((1 - permits - limit) / limit));
    const wait = permits >= 1 ? 0 : toNext + missing * window;
    if (wait > timeout) return refuse(wait);
    permits -= 1;
    return admit(permits, wait);
  };
};

/** Permits of `seconds` can be saved up; who comes next pays for who came before. */
const smoothBursty = ({ limit, window, start }: LimiterSetting, seconds: number): DecisionRule => {
  const interval = window / limit;
  const most = (seconds * 1000) / interval;
  let stored = 0;
  let nextFree = start;
  return (now) => {
    if (now < nextFree) return refuse(nextFree - now);
    stored = Math.min(most, stored + (now - nextFree) / interval);
    const spent = Math.min(1, stored);
    stored -= spent;
    nextFree = now + (1 - spent) * interval;
    return admit();
  };
};

export const javaLimiters: readonly ForeignLimiter[] = [
  {
    name: 'Bucket4j, refillGreedy',
    source: 'GitHub bucket4j/bucket4j@0b4ea4c BucketState64BitsInteger.java: refill',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit in whole tokens, with the remainder kept',
    open: greedyBucket,
  },
  {
    name: 'Bucket4j, refillIntervally',
    source:
      'GitHub bucket4j/bucket4j@0b4ea4c BucketState64BitsInteger.java: refill, incompleteIntervalCorrection',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'full again at whole windows since the bucket was made',
    open: ({ limit, window, start }) =>
      intervalBucket(limit, { amount: limit, interval: window, origin: start }),
  },
  {
    name: 'Bucket4j, refillIntervallyAligned',
    source:
      'GitHub bucket4j/bucket4j@0b4ea4c BucketState64BitsInteger.java: calculateLastRefillTimeNanos',
    family: 'fixed-aligned',
    keeps: 'yes',
    why: 'full again at whole windows of the clock',
    open: ({ limit, window, start }) =>
      intervalBucket(limit, {
        amount: limit,
        interval: window,
        origin: Math.floor(start / window) * window,
      }),
  },
  {
    name: 'Bucket4j, refillIntervally in five steps a window',
    source: 'GitHub bucket4j/bucket4j@0b4ea4c BucketState64BitsInteger.java: refill',
    family: 'stepped-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit that gets a fifth of it five times a window',
    open: ({ limit, window, start }) =>
      intervalBucket(limit, { amount: limit / 5, interval: window / 5, origin: start }),
  },
  {
    name: 'Resilience4j, AtomicRateLimiter without a timeout',
    source: 'GitHub resilience4j/resilience4j@008426f AtomicRateLimiter.java: calculateNextState',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'fixed windows since the class was loaded',
    open: (setting) => cycles(setting, 0),
  },
  {
    name: 'Resilience4j, AtomicRateLimiter with the default timeout of 5 s',
    source: 'GitHub resilience4j/resilience4j@008426f AtomicRateLimiter.java: reservePermissions',
    family: 'other',
    // Only what comes late in a window waits.
    alsoNamed: ['fixed-any-phase'],
    keeps: 'yes',
    why: 'fixed windows since the class was loaded; within 5 s of the next one requests wait for it',
    open: (setting) => cycles(setting, 5000),
  },
  {
    name: 'Guava, SmoothBursty with tryAcquire',
    source: 'GitHub google/guava@07212fe SmoothRateLimiter.java: reserveEarliestAvailable, resync',
    family: 'burst-bucket',
    keeps: 'yes',
    why: 'saves up the permits of one second; the one after them is paid for by the next',
    open: (setting) => smoothBursty(setting, 1),
  },
];
