import {
  admit,
  countFromFirst,
  countOnGrid,
  type DecisionRule,
  type ForeignLimiter,
  keepArrivalTime,
  keepLog,
  type LimiterSetting,
  refuse,
} from './foreign-limiter.fixture.ts';

/** A window that every request starts anew, admitted or not. */
const elasticWindow = ({ limit, window }: LimiterSetting): DecisionRule => {
  let count = 0;
  let expires = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (expires <= now) count = 0;
    count += 1;
    expires = now + window;
    return count <= limit ? admit(limit - count) : refuse(window);
  };
};

/** Two counters of clock windows: the weighted sum rounded down, plus this request, must not exceed the limit. */
const flooredCounter = ({ limit, window }: LimiterSetting): DecisionRule => {
  const counts = new Map<number, number>();
  return (now) => {
    const index = Math.floor(now / window);
    const current = counts.get(index) ?? 0;
    const weighted = (counts.get(index - 1) ?? 0) * (1 - (now % window) / window) + current;
    if (Math.floor(weighted) + 1 > limit) return refuse();
    counts.set(index, current + 1);
    return admit(limit - Math.floor(weighted + 1));
  };
};

/** The same with the older counter rounded down alone. */
const counterOfFlooredPrevious = ({ limit, window }: LimiterSetting): DecisionRule => {
  const counts = new Map<number, number>();
  return (now) => {
    const index = Math.floor(Math.floor(now / 1000) / (window / 1000));
    const share = 1 - (Math.floor(now) % window) / window;
    const previous = Math.floor(share * (counts.get(index - 1) ?? 0));
    const current = counts.get(index) ?? 0;
    if (previous + current + 1 > limit) return refuse(share * window);
    counts.set(index, current + 1);
    return admit(limit - previous - current - 1);
  };
};

/**
 * A leaky bucket as a semaphore: up to `limit` at once, then each waits until the level has sunk by one,
 * in the order of arrival.
 */
const leakyWait = ({ limit, window }: LimiterSetting): DecisionRule => {
  const interval = window / limit;
  let empties = Number.NEGATIVE_INFINITY;
  return (now) => {
    const next = Math.max(now, empties) + interval;
    empties = next;
    return admit(null, Math.max(0, next - window - now));
  };
};

/** A bucket in whole seconds: the time since the last admission, times the rate, rounded down. */
const wholeSecondBucket = ({ limit, window }: LimiterSetting): DecisionRule => {
  const perSecond = (limit * 1000) / window;
  let tokens = limit;
  let refreshed: number | null = null;
  return (now) => {
    const second = Math.floor(now / 1000);
    const elapsed = second - (refreshed ?? second);
    const left = Math.min(limit, tokens + Math.floor(elapsed * perSecond));
    if (left < 1) return refuse(Math.ceil(1 / perSecond) * 1000);
    tokens = left - 1;
    refreshed = second;
    return admit(tokens);
  };
};

/** Windows of the clock in whole seconds, shifted by a checksum of the key; `second` belongs to the window that ends with it. */
const shiftedWindow = ({ limit, window, draw }: LimiterSetting): DecisionRule => {
  const period = window / 1000;
  const shift = Math.floor(draw.uniform() * period);
  return countOnGrid(limit, (now) => {
    const second = Math.floor(now / 1000);
    const edge = second - (second % period) + shift;
    const end = edge < second ? edge + period : edge;
    return { index: end, end: end * 1000 };
  });
};

const inWholeMs =
  (rule: DecisionRule): DecisionRule =>
  (now) =>
    rule(Math.floor(now));

const counters: readonly ForeignLimiter[] = [
  {
    name: 'limits 5.8.0 (and slowapi 0.1.10), fixed window in memory',
    source: 'PyPI limits 5.8.0 limits/storage/memory.py: incr, get',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after it expired',
    open: (setting) => countFromFirst(setting, (end, now) => end <= now),
  },
  {
    name: 'limits 3.13.0, fixed window with elastic expiry',
    source: 'PyPI limits 3.13.0 limits/storage/memory.py: incr, elastic_expiry',
    family: 'restart-by-refusals',
    keeps: 'no',
    why: 'every request starts the window anew: a client that keeps the rate is refused after the limit, for ever',
    open: elasticWindow,
  },
  {
    name: 'limits 5.8.0, moving window in memory',
    source: 'PyPI limits 5.8.0 limits/storage/memory.py: acquire_entry (atime >= now - expiry)',
    family: 'sliding-log',
    keeps: 'yes',
    why: 'a log of the admitted requests',
    open: (setting) => keepLog(setting, (at, now) => at < now - setting.window),
  },
  {
    name: 'limits 5.8.0, sliding window counter in memory',
    source: 'PyPI limits 5.8.0 limits/storage/memory.py: acquire_sliding_window_entry',
    family: 'sliding-counter',
    keeps: 'yes',
    why: 'two counters of clock windows, the weighted sum rounded down',
    open: flooredCounter,
  },
  {
    name: 'throttled-py 3.5.0, fixed window',
    source: 'PyPI throttled-py 3.5.0 throttled/rate_limiter/fixed_window.py: now // period',
    family: 'fixed-aligned',
    keeps: 'yes',
    why: 'fixed windows of the clock, in whole seconds',
    open: ({ limit, window }) =>
      countOnGrid(limit, (now) => {
        const index = Math.floor(Math.floor(now / 1000) / (window / 1000));
        return { index, end: (index + 1) * window };
      }),
  },
  {
    name: 'throttled-py 3.5.0, sliding window',
    source: 'PyPI throttled-py 3.5.0 throttled/rate_limiter/sliding_window.py: _do',
    family: 'sliding-counter',
    keeps: 'yes',
    why: 'two counters of clock windows, the weighted older one rounded down',
    open: counterOfFlooredPrevious,
  },
  {
    name: 'django-ratelimit 4.1.0',
    source: 'PyPI django-ratelimit 4.1.0 django_ratelimit/core.py: _get_window',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'fixed windows of the clock, shifted by a checksum of the key',
    open: shiftedWindow,
  },
];

const logsAndBuckets: readonly ForeignLimiter[] = [
  {
    name: 'Django REST framework 3.18.3, SimpleRateThrottle',
    source: 'PyPI djangorestframework 3.18.3 rest_framework/throttling.py: allow_request',
    family: 'sliding-log',
    keeps: 'yes',
    why: 'a log of the admitted requests',
    open: (setting) => keepLog(setting, (at, now) => at <= now - setting.window),
  },
  {
    name: 'pyrate-limiter 4.5.1, InMemoryBucket',
    source:
      'PyPI pyrate-limiter 4.5.1 pyrate_limiter/buckets/in_memory_bucket.py: put, inclusive bound',
    family: 'sliding-log',
    keeps: 'yes',
    why: 'a log of the admitted requests, in whole milliseconds',
    open: (setting) => inWholeMs(keepLog(setting, (at, now) => at < now - setting.window)),
  },
  {
    name: 'pyrate-limiter 4.5.1, GCRA with a burst of the limit',
    source: 'PyPI pyrate-limiter 4.5.1 pyrate_limiter/abstracts/algorithm.py: GCRA.step',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit, the interval rounded up to microseconds',
    open: ({ limit, window }) => {
      const interval = Math.ceil((window * 1000) / limit) / 1000;
      return inWholeMs(keepArrivalTime(interval, limit * interval));
    },
  },
  {
    name: 'throttled-py 3.5.0, GCRA',
    source: 'PyPI throttled-py 3.5.0 throttled/rate_limiter/gcra.py: _do',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit',
    open: ({ limit, window }) => keepArrivalTime(window / limit, window),
  },
  {
    name: 'throttled-py 3.5.0, token bucket (and leaking bucket)',
    source:
      'PyPI throttled-py 3.5.0 throttled/rate_limiter/token_bucket.py, leaking_bucket.py: _do',
    family: 'other',
    alsoNamed: ['stepped-bucket', 'token-bucket'],
    keeps: 'yes',
    why: 'a bucket in whole seconds that drops fractions of a token at every admission',
    open: wholeSecondBucket,
  },
  {
    name: 'aiolimiter 1.3.0, AsyncLimiter',
    source: 'PyPI aiolimiter 1.3.0 aiolimiter/leakybucket.py: acquire, _wake_next',
    family: 'burst-then-delay',
    keeps: 'yes',
    why: 'admits the limit at once, then delays what comes to the even rate; refuses nothing',
    open: leakyWait,
  },
];

export const pythonLimiters: readonly ForeignLimiter[] = [...counters, ...logsAndBuckets];
