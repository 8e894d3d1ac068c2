import {
  admit,
  countOnGrid,
  type DecisionRule,
  type ForeignLimiter,
  type LimiterSetting,
  refillEvenly,
  refuse,
} from './foreign-limiter.fixture.ts';

/** Lengths in thousandths of a request; `rate` in thousandths of a request a second, as nginx keeps them. */
interface LeakSetting {
  readonly rate: number;
  readonly burst: number;
  /** What may exceed the rate without a delay. */
  readonly free: number;
}

const leakRate = ({ limit, window }: LimiterSetting): number =>
  Math.floor((1000 * Math.round((limit * 60_000) / window)) / 60);

/** nginx: the excess in thousandths leaks at the rate; a request that lifts it above the burst is refused. */
const leakyExcess = ({ rate, burst, free }: LeakSetting): DecisionRule => {
  let state: { excess: number; last: number } | null = null;
  return (exact) => {
    const now = Math.floor(exact);
    if (state === null) {
      state = { excess: 0, last: now };
      return admit();
    }
    const leaked = Math.floor((rate * Math.abs(now - state.last)) / 1000);
    const excess = Math.max(0, state.excess - leaked + 1000);
    if (excess > burst) return refuse();
    state = { excess, last: now };
    return admit(null, excess <= free ? 0 : Math.floor(((excess - free) * 1000) / rate));
  };
};

const nginx = (
  part: string,
  more: Pick<ForeignLimiter, 'family' | 'why'>,
  settingOf: (limit: number) => Omit<LeakSetting, 'rate'>,
): ForeignLimiter => ({
  name: `nginx, limit_req ${part}`,
  source:
    'GitHub nginx/nginx@021a9df src/http/modules/ngx_http_limit_req_module.c: lookup, account',
  keeps: 'yes',
  ...more,
  open: (setting) => leakyExcess({ rate: leakRate(setting), ...settingOf(setting.limit) }),
});

/**
 * HAProxy's event counter: all requests count, refused ones too; the counter's period starts with the
 * first request after two idle periods.
 */
const haproxyRate = ({ limit, window }: LimiterSetting): DecisionRule => {
  let tick = 0;
  let current = 0;
  let previous = 0;
  return (exact) => {
    const now = Math.floor(exact);
    if (now - tick >= window) {
      previous = current;
      current = 0;
      tick += window;
      if (now - tick >= window) {
        previous = 0;
        tick = now;
      }
      tick -= tick % 2;
    }
    current += 1;
    const rate = current + Math.floor((previous * Math.max(0, tick + window - now)) / window);
    return rate > limit ? refuse() : admit();
  };
};

/** Kong's shared library: whole seconds, the weighted older window; refused requests count. */
const kongSliding = ({ limit, window }: LimiterSetting): DecisionRule => {
  const counts = new Map<number, number>();
  const size = window / 1000;
  return (now) => {
    const second = Math.floor(now / 1000);
    const index = Math.floor(second / size);
    const current = (counts.get(index) ?? 0) + 1;
    counts.set(index, current);
    const weight = (size - (second % size)) / size;
    const rate = current + (counts.get(index - 1) ?? 0) * weight;
    return rate > limit ? refuse((size - (second % size)) * 1000) : admit(limit - rate);
  };
};

/** Envoy's fill timer: `amount` tokens each `interval` since the process started. */
const fillTimer = (
  { limit, start }: LimiterSetting,
  amount: number,
  interval: number,
): DecisionRule => {
  let tokens = limit;
  let fills = 0;
  return (now) => {
    const due = Math.floor((now - start) / interval);
    tokens = Math.min(limit, tokens + (due - fills) * amount);
    fills = due;
    if (tokens < 1) return refuse(start + (due + 1) * interval - now);
    tokens -= 1;
    return admit(tokens);
  };
};

const nginxLimiters: readonly ForeignLimiter[] = [
  nginx(
    'burst of the limit less one, nodelay',
    { family: 'token-bucket', why: 'a bucket of the limit in thousandths' },
    (limit) => ({ burst: (limit - 1) * 1000, free: Number.POSITIVE_INFINITY }),
  ),
  nginx(
    'burst of a sixth of the limit, nodelay',
    { family: 'burst-bucket', why: 'a bucket that holds less than the limit' },
    (limit) => ({ burst: Math.round(limit / 6) * 1000, free: Number.POSITIVE_INFINITY }),
  ),
  nginx('without a burst', { family: 'burst-bucket', why: 'one request an interval' }, () => ({
    burst: 0,
    free: Number.POSITIVE_INFINITY,
  })),
  nginx(
    'burst of a sixth of the limit',
    { family: 'queue', why: 'a queue of a sixth of the limit at the even rate' },
    (limit) => ({ burst: Math.round(limit / 6) * 1000, free: 0 }),
  ),
  nginx(
    'burst of a third of the limit, half of it without a delay',
    { family: 'burst-then-delay', why: 'a burst that is admitted at once, then a queue' },
    (limit) => ({ burst: Math.round(limit / 3) * 1000, free: Math.round(limit / 6) * 1000 }),
  ),
];

export const proxyLimiters: readonly ForeignLimiter[] = [
  ...nginxLimiters,
  {
    name: 'HAProxy, http_req_rate',
    source:
      'GitHub haproxy/haproxy@1db4273 include/haproxy/freq_ctr.h: update_freq_ctr_period; src/freq_ctr.c',
    family: 'counter-counting-refusals',
    keeps: 'yes',
    why: 'two counters that count refused requests, too',
    open: haproxyRate,
  },
  {
    name: 'Envoy, local rate limit, one fill a window',
    source: 'GitHub envoyproxy/envoy@016c0c8 local_ratelimit_impl.cc: onFillTimer',
    family: 'fixed-free',
    keeps: 'yes',
    why: 'full again at whole windows since the start of the process',
    open: (setting) => fillTimer(setting, setting.limit, setting.window),
  },
  {
    name: 'Envoy, local rate limit, ten fills a window',
    source: 'GitHub envoyproxy/envoy@016c0c8 local_ratelimit_impl.cc: onFillTimer',
    family: 'stepped-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit that gets a tenth of it ten times a window',
    open: (setting) => fillTimer(setting, setting.limit / 10, setting.window / 10),
  },
  {
    name: 'Envoy, token bucket',
    source: 'GitHub envoyproxy/envoy@040783c source/common/common/token_bucket_impl.cc: consume',
    family: 'token-bucket',
    keeps: 'yes',
    why: 'a bucket of the limit',
    open: ({ limit, window, start }) => refillEvenly(limit, limit / window, start),
  },
  {
    name: 'Kong, rate-limiting, local policy',
    source:
      'GitHub Kong/kong@003ca36 kong/plugins/rate-limiting/policies/init.lua: usage, increment',
    family: 'fixed-aligned',
    keeps: 'yes',
    why: 'fixed minutes of the clock',
    offers: ({ window }) => window === 60_000,
    open: ({ limit, window }) =>
      countOnGrid(limit, (now) => {
        const index = Math.floor(now / window);
        return { index, end: (index + 1) * window };
      }),
  },
  {
    name: 'Kong, sliding window of its rate-limiting library',
    source:
      'GitHub Kong/kong@01beb12 kong/tools/public/rate-limiting/init.lua: sliding_window, increment',
    family: 'counter-counting-refusals',
    keeps: 'arguable',
    why: 'two counters of clock windows that count refused requests; weights in whole seconds are too high, so that a client at the even rate can be refused',
    open: kongSliding,
  },
];
