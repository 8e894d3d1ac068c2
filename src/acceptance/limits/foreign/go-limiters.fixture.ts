import {
  admit,
  countFromFirst,
  countOnGrid,
  type DecisionRule,
  type ForeignLimiter,
  keepArrivalTime,
  keepLog,
  type LimiterSetting,
  refillEvenly,
  refuse,
} from './foreign-limiter.fixture.ts';

/** `rate.Limiter.Wait`: a reservation takes its token at once and waits until it has come. */
const reserveAndWait = (burst: number, perMs: number): DecisionRule => {
  let tokens = burst;
  let last: number | null = null;
  return (now) => {
    tokens = Math.min(burst, tokens + (now - (last ?? now)) * perMs) - 1;
    last = now;
    return admit(null, tokens < 0 ? -tokens / perMs : 0);
  };
};

/** `Take` of the atomic int64 limiter: the next permission, at most `slack` permissions in arrears. */
const takeWithSlack = (perRequest: number, slack: number): DecisionRule => {
  let next: number | null = null;
  return (now) => {
    if (next === null || (slack === 0 && now - next > perRequest)) next = now;
    else if (slack > 0 && now - next > (slack + 1) * perRequest) next = now - slack * perRequest;
    else next += perRequest;
    return admit(null, Math.max(0, next - now));
  };
};

/** Two counters of windows from the process's start; the weighted sum is rounded to the nearest whole number. */
const roundedCounter = ({ limit, window, start }: LimiterSetting): DecisionRule => {
  const counts = new Map<number, number>();
  return (now) => {
    const index = Math.floor((now - start) / window);
    const into = (now - start - index * window) / window;
    const current = counts.get(index) ?? 0;
    const rate = Math.round((counts.get(index - 1) ?? 0) * (1 - into) + current);
    if (rate + 1 > limit) return refuse(window);
    counts.set(index, current + 1);
    return admit(limit - rate - 1);
  };
};

/**
 * A bucket of `x/time/rate` whose reservations may wait for `maxWait`, and which is forgotten when its
 * key was idle for `ttl` whole seconds.
 */
const forgottenBucket = (burst: number, { limit, window }: LimiterSetting): DecisionRule => {
  const perSecond = (limit * 1000) / window;
  const maxWait = perSecond < 1 ? 500 : 1000 / (Math.floor(perSecond) * 2);
  const ttl = perSecond >= 1 ? 2 : 1 + Math.floor(1 / perSecond);
  let tokens = burst;
  let last = Number.NEGATIVE_INFINITY;
  let expires = Number.NEGATIVE_INFINITY;
  return (now) => {
    const second = Math.floor(now / 1000);
    if (expires <= second) tokens = burst;
    else tokens = Math.min(burst, tokens + ((now - last) * perSecond) / 1000);
    expires = second + ttl;
    last = now;
    const wait = Math.max(0, ((1 - tokens) * 1000) / perSecond);
    if (wait > maxWait) return refuse(wait);
    tokens -= 1;
    return admit(null, wait);
  };
};

const buckets: readonly ForeignLimiter[] = [
  {
    name: 'golang.org/x/time/rate 0.16.0, Allow with a burst of the limit',
    source: 'Go golang.org/x/time@v0.16.0 rate/rate.go: reserveN, advance',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit',
    open: ({ limit, window, start }) => refillEvenly(limit, limit / window, start),
  },
  {
    name: 'golang.org/x/time/rate 0.16.0, Allow with a fifth of the limit as its burst',
    source: 'Go golang.org/x/time@v0.16.0 rate/rate.go: reserveN, advance',
    family: 'burst-bucket',
    keeps: 'yes',
    why: 'a bucket that holds less than the limit',
    open: ({ limit, window, start }) => refillEvenly(Math.ceil(limit / 5), limit / window, start),
  },
  {
    name: 'golang.org/x/time/rate 0.16.0, Wait with a burst of the limit',
    source: 'Go golang.org/x/time@v0.16.0 rate/rate.go: wait, reserveN',
    family: 'burst-then-delay',
    keeps: 'yes',
    why: 'admits the limit at once, then delays to the even rate; refuses nothing',
    open: ({ limit, window }) => reserveAndWait(limit, limit / window),
  },
  {
    name: 'go.uber.org/ratelimit 0.3.1, slack of 10',
    source: 'Go go.uber.org/ratelimit@v0.3.1 limiter_atomic_int64.go: Take',
    family: 'burst-then-delay',
    keeps: 'yes',
    why: 'delays to the even rate, with up to ten requests in arrears; refuses nothing',
    open: ({ limit, window }) => takeWithSlack(window / limit, 10),
  },
  {
    name: 'go.uber.org/ratelimit 0.3.1, without slack',
    source: 'Go go.uber.org/ratelimit@v0.3.1 limiter_atomic_int64.go: Take, maxSlack 0',
    family: 'queue',
    keeps: 'yes',
    why: 'delays to the even rate; refuses nothing',
    open: ({ limit, window }) => takeWithSlack(window / limit, 0),
  },
  {
    name: 'throttled 2.15.0, GCRA with a burst of the limit',
    source:
      'Go github.com/throttled/throttled/v2@v2.15.0 rate.go: RateLimitCtx, MaxBurst of limit - 1',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit',
    open: ({ limit, window }) => keepArrivalTime(window / limit, window),
  },
  {
    name: 'throttled 2.15.0, GCRA with a burst of a tenth of the limit',
    source: 'Go github.com/throttled/throttled/v2@v2.15.0 rate.go: RateLimitCtx',
    family: 'burst-bucket',
    keeps: 'yes',
    why: 'a bucket that holds less than the limit',
    open: ({ limit, window }) =>
      keepArrivalTime(window / limit, (Math.ceil(limit / 10) * window) / limit),
  },
  {
    name: 'tollbooth of 2016, maximum and period',
    source:
      'GitHub didip/tollbooth@0180e54 limiter/limiter.go: rate.NewLimiter(rate.Every(TTL), Max)',
    family: 'token-bucket',
    keeps: 'no',
    why: 'its bucket of the limit gets one request back each window, not the limit',
    open: ({ limit, window, start }) => refillEvenly(limit, 1 / window, start),
  },
];

const windows: readonly ForeignLimiter[] = [
  {
    name: 'go-chi/httprate 0.16.1, local counter',
    source:
      'Go github.com/go-chi/httprate@v0.16.1 limiter.go: OnLimit, calculateRate, windowOffset',
    family: 'sliding-counter',
    keeps: 'yes',
    why: 'two counters of windows since the start of the process, the weighted sum rounded',
    open: roundedCounter,
  },
  {
    name: 'sethvargo/go-limiter 0.7.1, memorystore',
    source:
      'Go github.com/sethvargo/go-limiter@v0.7.1 memorystore/store.go: take, tick, availableTokens',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'full again at whole windows since the first request of the key',
    open: ({ limit, window }) => {
      let first: number | null = null;
      return countOnGrid(limit, (now) => {
        first ??= now;
        const index = Math.floor((now - first) / window);
        return { index, end: first + (index + 1) * window };
      });
    },
  },
  {
    name: 'ulule/limiter 3.11.2, memory store',
    source: 'Go github.com/ulule/limiter/v3@v3.11.2 drivers/store/memory/cache.go: Increment',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after it expired',
    open: (setting) => countFromFirst(setting, (end, now) => now > end),
  },
  {
    name: 'caddy-ratelimit, ring buffer',
    source: 'GitHub mholt/caddy-ratelimit@2dc0d58 ringbuffer.go: When, allowed',
    family: 'sliding-log',
    keeps: 'yes',
    why: 'a log of the admitted requests',
    open: (setting) => keepLog(setting, (at, now) => now - at > setting.window),
  },
  {
    name: 'Traefik, rateLimit with the default burst of 1',
    source:
      'GitHub traefik/traefik@26978da pkg/middlewares/ratelimiter/in_memory_limiter.go: Allow',
    family: 'burst-then-delay',
    alsoNamed: ['burst-bucket'],
    keeps: 'yes',
    why: 'the even rate, with a wait of up to half an interval',
    open: (setting) => forgottenBucket(1, setting),
  },
  {
    name: 'Traefik, rateLimit with a burst of the limit',
    source: 'GitHub traefik/traefik@001e9aa pkg/middlewares/ratelimiter/rate_limiter.go: ttl',
    family: 'other',
    keeps: 'no',
    why: 'the bucket is forgotten after two idle seconds, and the next one is full',
    open: (setting) => forgottenBucket(setting.limit, setting),
  },
];

export const goLimiters: readonly ForeignLimiter[] = [...buckets, ...windows];
