import {
  admit,
  countFromFirst,
  type DecisionRule,
  type ForeignLimiter,
  type LimiterSetting,
  refillEvenly,
  refuse,
} from './foreign-limiter.fixture.ts';

/**
 * LiteLLM's limiter v3 in memory: windows of whole seconds from the first request, behind a cache whose
 * entries expire a window after they were first set, and in which a counter above the limit refuses at once.
 */
const litellmMemory = ({ limit, window }: LimiterSetting): DecisionRule => {
  let state: { begin: number; count: number; expires: number } | null = null;
  return (now) => {
    if (state !== null && now > state.expires) state = null;
    if (state !== null && state.count > limit) return refuse(window);
    const second = Math.floor(now / 1000);
    if (state === null) state = { begin: second, count: 0, expires: now + window };
    else if ((second - state.begin) * 1000 >= window) state = { ...state, begin: second, count: 0 };
    state.count += 1;
    return state.count > limit ? refuse(window) : admit(limit - state.count);
  };
};

/** The same over Redis: no cache in front, the counter expires with the window. */
const litellmRedis = ({ limit, window }: LimiterSetting): DecisionRule => {
  let state: { begin: number; count: number } | null = null;
  return (now) => {
    const second = Math.floor(now / 1000);
    if (state === null || (second - state.begin) * 1000 >= window)
      state = { begin: second, count: 0 };
    state.count += 1;
    return state.count > limit ? refuse(window) : admit(limit - state.count);
  };
};

/** LiteLLM's first limiter: minutes of the clock, and a request counts once it was answered. */
const litellmFirst = ({ limit, window }: LimiterSetting): DecisionRule => {
  const answered = new Map<number, number>();
  return (now) => {
    const count = answered.get(Math.floor(now / window)) ?? 0;
    if (count >= limit) return refuse();
    return {
      ...admit(limit - count - 1),
      onAnswered: (at) => {
        const index = Math.floor(at / window);
        answered.set(index, (answered.get(index) ?? 0) + 1);
      },
    };
  };
};

/** redis-cell: GCRA that refuses only what comes a whole second or more too early. */
const cell = ({ limit, window }: LimiterSetting): DecisionRule => {
  const interval = Math.floor((window * 1e6) / limit) / 1e6;
  const tolerance = limit * interval;
  let arrival = Number.NEGATIVE_INFINITY;
  return (now) => {
    const next = Math.max(now, arrival) + interval;
    const early = next - tolerance - now;
    if (early >= 1000) return refuse(early);
    arrival = next;
    return admit((tolerance - (next - now)) / interval);
  };
};

/** Fewer than one request a second come in early: a limit that is too high by at most one. */
const isSlow = ({ limit, window }: { limit: number; window: number }): boolean =>
  (limit * 1000) / window <= 1;

export const gatewayLimiters: readonly ForeignLimiter[] = [
  {
    name: 'LiteLLM, limiter v3, in memory',
    source:
      'GitHub BerriAI/litellm@00353f5 parallel_request_limiter_v3.py: in_memory_cache_sliding_window, should_rate_limit',
    family: 'fixed-from-first',
    keeps: 'arguable',
    why: 'a fixed window from the first request, in whole seconds; but the count is also forgotten one window after it was first cached, so that three limits come within a second',
    open: litellmMemory,
  },
  {
    name: 'LiteLLM, limiter v3, over Redis',
    source:
      'GitHub BerriAI/litellm@00353f5 parallel_request_limiter_v3.py: BATCH_RATE_LIMITER_SCRIPT',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request, in whole seconds',
    open: litellmRedis,
  },
  {
    name: 'LiteLLM, its first limiter',
    source:
      'GitHub BerriAI/litellm@003feda parallel_request_limiter.py: async_pre_call_hook, async_log_success_event',
    family: 'fixed-aligned',
    keeps: 'no',
    why: 'counts a request when it was answered: any number that comes at once is admitted',
    offers: ({ window }) => window === 60_000,
    open: litellmFirst,
  },
  {
    name: 'redis-cell, slow rate',
    source: 'GitHub brandur/redis-cell@109e616 src/cell/mod.rs: rate_limit, diff.num_seconds() < 0',
    family: 'token-bucket',
    keeps: 'arguable',
    why: 'admits one more than the limit, since it lets through what is less than a second early',
    offers: isSlow,
    open: cell,
  },
  {
    name: 'redis-cell, fast rate',
    source: 'GitHub brandur/redis-cell@109e616 src/cell/mod.rs: rate_limit, diff.num_seconds() < 0',
    family: 'token-bucket',
    keeps: 'no',
    why: 'its bucket holds what a second refills beyond the limit',
    offers: (setting) => !isSlow(setting),
    open: cell,
  },
  {
    name: 'AWS API Gateway usage plan, by its documentation',
    source: 'docs.aws.amazon.com API Gateway, request throttling: token bucket of rate and burst',
    family: 'burst-bucket',
    keeps: 'yes',
    why: 'a bucket of half the limit',
    open: ({ limit, window, start }) => refillEvenly(Math.ceil(limit / 2), limit / window, start),
  },
  {
    name: 'INCR and EXPIRE in Redis, whole seconds',
    source:
      'redis.io documentation of INCR, pattern "rate limiter 2": EXPIRE only when the counter was created',
    family: 'fixed-from-first',
    keeps: 'yes',
    why: 'a fixed window from the first request after it expired',
    open: (setting) => countFromFirst(setting, (end, now) => end <= now),
  },
];
