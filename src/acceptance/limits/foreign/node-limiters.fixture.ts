import {
  admit,
  countFromFirst,
  countOnGrid,
  type DecisionRule,
  type ForeignLimiter,
  type LimiterSetting,
  refuse,
} from './foreign-limiter.fixture.ts';

/** `Date.now()`: whole milliseconds. */
const inWholeMs =
  (rule: DecisionRule): DecisionRule =>
  (now) =>
    rule(Math.floor(now));

/** A grid from the start of the process whose timer fires a little late each time: `drift` ms a period. */
const driftingGrid = ({ limit, window, start }: LimiterSetting, drift: number): DecisionRule =>
  countOnGrid(limit, (now) => {
    const index = Math.floor((now - start) / (window + drift));
    return { index, end: start + (index + 1) * (window + drift) };
  });

/** Fixed windows whose first refusal is punished: the key is blocked for `blocked` ms from then. */
const blockOnRefusal = ({ limit, window }: LimiterSetting, blocked: number): DecisionRule => {
  let end = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    if (now >= end) {
      count = 0;
      end = now + window;
    }
    count += 1;
    if (count <= limit) return admit(limit - count);
    if (count === limit + 1) end = now + blocked;
    return refuse(end - now);
  };
};

const restartWhenExceeded = ({ limit, window }: LimiterSetting): DecisionRule => {
  let begin = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    if (begin + window <= now) {
      count = 0;
      begin = now;
    }
    count += 1;
    if (count <= limit) return admit(limit - count);
    begin = now;
    return refuse(window);
  };
};

/** A bucket, and beside it a count within an interval that begins with the first request after the last one ended. */
const bucketWithIntervalCap = ({ limit, window, start }: LimiterSetting): DecisionRule => {
  let tokens = limit;
  let last = start;
  let begin = start;
  let spent = 0;
  return (now) => {
    if (now - begin >= window) {
      begin = now;
      spent = 0;
    }
    if (spent >= limit) return refuse(begin + window - now);
    tokens = Math.min(limit, tokens + ((now - last) * limit) / window);
    last = now;
    if (tokens < 1) return refuse(((1 - tokens) * window) / limit);
    tokens -= 1;
    spent += 1;
    return admit(Math.min(tokens, limit - spent));
  };
};

/** A bucket that starts empty with the process. */
const bucketFromEmpty = ({ limit, window, start }: LimiterSetting): DecisionRule => {
  let tokens = 0;
  let last = start;
  return (now) => {
    tokens = Math.min(limit, tokens + ((now - last) * limit) / window);
    last = now;
    if (tokens < 1) return refuse(((1 - tokens) * window) / limit);
    tokens -= 1;
    return admit(tokens);
  };
};

/** Requests above the limit of a window wait for the next. */
const waitForWindow = ({ limit, window }: LimiterSetting): DecisionRule => {
  let tick = 0;
  let active = 0;
  return (now) => {
    if (now - tick > window) {
      tick = now;
      active = 1;
    } else if (active < limit) {
      active += 1;
    } else {
      tick += window;
      active = 1;
    }
    return admit(null, Math.max(0, tick - now));
  };
};

/** Two fixed windows that both have to admit, and both count every request. */
const unionOfWindows = (setting: LimiterSetting): DecisionRule => {
  const perSecond = Math.max(1, Math.ceil((2 * setting.limit * 1000) / setting.window));
  const tiers = [
    countFromFirst({ ...setting, limit: perSecond, window: 1000 }, (end, now) => end <= now),
    countFromFirst(setting, (end, now) => end <= now),
  ];
  return (now) => {
    const decisions = tiers.map((tier) => tier(now));
    return decisions.find(({ admitted }) => !admitted) ?? decisions[1]!;
  };
};

const upstashCounter = ({ limit, window }: LimiterSetting): DecisionRule => {
  const counts = new Map<number, number>();
  return (now) => {
    const index = Math.floor(now / window);
    const current = counts.get(index) ?? 0;
    const share = 1 - (now % window) / window;
    const previous = Math.floor(share * (counts.get(index - 1) ?? 0));
    if (previous + current >= limit) return refuse((index + 1) * window - now);
    counts.set(index, current + 1);
    return admit(limit - previous - current - 1);
  };
};

/** `limit` tokens at each interval since the bucket's first request; the bucket is forgotten an interval after the last admission. */
const upstashBucket = ({ limit, window }: LimiterSetting): DecisionRule => {
  let state: { tokens: number; refilledAt: number; expires: number } | null = null;
  return (now) => {
    if (state === null || now >= state.expires)
      state = { tokens: limit, refilledAt: now, expires: Number.POSITIVE_INFINITY };
    const refills = Math.floor((now - state.refilledAt) / window);
    if (refills > 0) state.tokens = limit;
    const refilledAt = state.refilledAt + refills * window;
    if (state.tokens < 1) return refuse(refilledAt + window - now);
    state = { tokens: state.tokens - 1, refilledAt, expires: now + window };
    return admit(state.tokens);
  };
};

export const nodeLimiters: readonly ForeignLimiter[] = [
  {
    name: 'express-rate-limit 5.5.1, MemoryStore',
    source: 'npm express-rate-limit@5.5.1 lib/memory-store.js: setInterval(resetAll, windowMs)',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'fixed windows from the start of the process; refusals count and change nothing',
    open: (setting) => inWholeMs(driftingGrid(setting, setting.draw.uniform() * 2)),
  },
  {
    name: 'express-rate-limit 8.7.4, MemoryStore',
    source: 'npm express-rate-limit@8.7.4 dist/index.mjs: MemoryStore.increment, totalHits > limit',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after resetTime',
    open: (setting) => inWholeMs(countFromFirst(setting, (end, now) => end <= now)),
  },
  {
    name: 'rate-limiter-flexible 11.4.0, RateLimiterMemory',
    source: 'npm rate-limiter-flexible@11.4.0 lib/component/MemoryStorage/MemoryStorage.js: incrby',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after it expired',
    open: (setting) => inWholeMs(countFromFirst(setting, (end, now) => end <= now)),
  },
  {
    name: 'rate-limiter-flexible 11.4.0, blockDuration of two windows',
    source: 'npm rate-limiter-flexible@11.4.0 lib/RateLimiterMemory.js: consume, blockDuration',
    family: 'penalty',
    keeps: 'arguable',
    why: 'never admits more, but the first refusal blocks for two windows',
    open: (setting) => inWholeMs(blockOnRefusal(setting, 2 * setting.window)),
  },
  {
    name: 'rate-limiter-flexible 11.4.0, RateLimiterUnion with a limit per second',
    source:
      'npm rate-limiter-flexible@11.4.0 lib/RateLimiterUnion.js, twice the even rate per second',
    family: 'two-tiers',
    keeps: 'arguable',
    why: 'never admits more; every request counts in both windows, also refused ones',
    open: (setting) => inWholeMs(unionOfWindows(setting)),
  },
  {
    name: 'limiter 4.1.0, RateLimiter',
    source: 'npm limiter@4.1.0 dist/esm/RateLimiter.js: tryRemoveTokens',
    family: 'other',
    // The interval: the bucket beside it hardly ever refuses.
    alsoNamed: ['fixed-from-first'],
    keeps: 'yes',
    why: 'a full bucket and, beside it, a count within an interval from the first request',
    open: bucketWithIntervalCap,
  },
  {
    name: 'limiter 4.1.0, TokenBucket',
    source: 'npm limiter@4.1.0 dist/esm/TokenBucket.js: drip, tryRemoveTokens',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit that was empty when the process started',
    open: bucketFromEmpty,
  },
  {
    name: 'bottleneck 2.19.5, reservoir, overflow refused',
    source:
      'npm bottleneck@2.19.5 lib/LocalDatastore.js: _startHeartbeat every 250 ms, computeCapacity',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'refilled by a heartbeat of 250 ms: windows from the start of the process, a little too long',
    // Each heartbeat comes up to a millisecond late, so that 240 of them take up to 240 ms too long.
    open: (setting) =>
      inWholeMs(driftingGrid(setting, (setting.draw.uniform() * setting.window) / 250)),
  },
  {
    name: 'p-throttle 8.1.1, windowed',
    source: 'npm p-throttle@8.1.1 index.js: windowedDelay',
    family: 'other',
    keeps: 'yes',
    why: 'refuses nothing: what exceeds a window waits for a later one',
    open: (setting) => inWholeMs(waitForWindow(setting)),
  },
  {
    name: '@fastify/rate-limit 11.2.0, LocalStore',
    source: 'npm @fastify/rate-limit@11.2.0 store/LocalStore.js: incr',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after it ended',
    open: (setting) => inWholeMs(countFromFirst(setting, (end, now) => end <= now)),
  },
  {
    name: '@fastify/rate-limit 11.2.0, continueExceeding',
    source: 'npm @fastify/rate-limit@11.2.0 store/LocalStore.js: incr, continueExceeding',
    family: 'restart-by-refusals',
    keeps: 'arguable',
    why: 'never admits more, but every refusal starts the window anew',
    open: (setting) => inWholeMs(restartWhenExceeded(setting)),
  },
  {
    name: '@upstash/ratelimit 2.2.0, fixedWindow',
    source:
      'npm @upstash/ratelimit@2.2.0 dist/index.js: bucket = floor(now / window), fixedWindowLimitScript',
    family: 'fixed-aligned',
    keeps: 'yes',
    why: 'fixed windows of the clock',
    open: (setting) =>
      inWholeMs(
        countOnGrid(setting.limit, (now) => {
          const index = Math.floor(now / setting.window);
          return { index, end: (index + 1) * setting.window };
        }),
      ),
  },
  {
    name: '@upstash/ratelimit 2.2.0, slidingWindow',
    source: 'npm @upstash/ratelimit@2.2.0 dist/index.js: slidingWindowLimitScript',
    family: 'sliding-counter',
    keeps: 'yes',
    why: 'two counters of clock windows, the weighted older one rounded down',
    open: (setting) => inWholeMs(upstashCounter(setting)),
  },
  {
    name: '@upstash/ratelimit 2.2.0, tokenBucket refilled once a window',
    source: 'npm @upstash/ratelimit@2.2.0 dist/index.js: tokenBucketLimitScript',
    family: 'fixed-free',
    alsoNamed: ['fixed-from-first', 'stepped-bucket'],
    keeps: 'yes',
    why: 'full again at whole windows since its first request, and when it was idle for one',
    open: (setting) => inWholeMs(upstashBucket(setting)),
  },
];
