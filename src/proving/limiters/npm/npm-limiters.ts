import { keys, limit, load, window } from './gateway-options.ts';

/** The limiters, each as a function that decides on one request. */

/** A limiter's answer; absent fields are unknown to it. */
export interface Decision {
  readonly admitted: boolean;
  readonly remaining?: number;
  /** In seconds. */
  readonly retryAfter?: number;
  /** Called when the answer has ended. */
  readonly release?: () => void;
}
type Decide = (key: string) => Decision | Promise<Decision>;

type Middleware = (request: object, response: object, next: () => void) => void;

/** A middleware of express-rate-limit; requests and responses are reduced to what it uses. */
const expressRateLimit = (name: string): Decide => {
  const { rateLimit } = load(name) as { rateLimit?: (options: object) => Middleware };
  const create = rateLimit ?? (load(name) as (options: object) => Middleware);
  const middleware = create({
    windowMs: window,
    max: limit,
    limit,
    legacyHeaders: true,
    headers: true,
    keyGenerator: ({ key }: { key: string }) => key,
    validate: false,
    handler: (_request: object, { answer }: { answer: (admitted: boolean) => void }) =>
      answer(false),
  });
  return (key) =>
    new Promise((resolve) => {
      const headers: Record<string, string> = {};
      const answer = (admitted: boolean): void => {
        const remaining = Number(headers['x-ratelimit-remaining']);
        const retryAfter = Number(headers['retry-after']);
        resolve({
          admitted,
          ...(Number.isNaN(remaining) ? {} : { remaining }),
          ...(Number.isNaN(retryAfter) ? {} : { retryAfter }),
        });
      };
      const setHeader = (header: string, value: unknown): void => {
        headers[header.toLowerCase()] = String(value);
      };
      const request = {
        key,
        ip: '127.0.0.1',
        method: 'POST',
        headers: {},
        app: { get: () => false },
      };
      const response = { setHeader, headersSent: false, answer, on: () => undefined };
      middleware(request, response, () => answer(true));
    });
};

interface FlexibleResult {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/** One limiter for each key. */
const forEachKey = (create: () => () => Decision | Promise<Decision>): Decide => {
  const own = new Map(keys.map((key) => [key, create()]));
  return (key) => own.get(key)!();
};

const flexible = (): Decide => {
  const { RateLimiterMemory } = load('rate-limiter-flexible') as {
    RateLimiterMemory: new (options: object) => {
      consume(key: string): Promise<FlexibleResult>;
    };
  };
  const own = new RateLimiterMemory({ points: limit, duration: window / 1000 });
  return async (key) => {
    try {
      const { remainingPoints } = await own.consume(key);
      return { admitted: true, remaining: remainingPoints };
    } catch (error) {
      if (error instanceof Error) throw error;
      const { msBeforeNext } = error as FlexibleResult;
      return { admitted: false, remaining: 0, retryAfter: Math.ceil(msBeforeNext / 1000) };
    }
  };
};

const tokenLimiter = (): Decide => {
  const { RateLimiter } = load('limiter') as {
    RateLimiter: new (options: object) => {
      tryRemoveTokens(count: number): boolean;
      getTokensRemaining(): number;
    };
  };
  return forEachKey(() => {
    const own = new RateLimiter({ tokensPerInterval: limit, interval: window });
    return () => {
      const admitted = own.tryRemoveTokens(1);
      return { admitted, remaining: Math.floor(own.getTokensRemaining()) };
    };
  });
};

const reservoir = (): Decide => {
  const Bottleneck = load('bottleneck') as new (options: object) => {
    check(): Promise<boolean>;
    schedule(job: () => Promise<void>): Promise<void>;
  };
  return forEachKey(() => {
    const own = new Bottleneck({
      reservoir: limit,
      reservoirRefreshAmount: limit,
      reservoirRefreshInterval: window,
      highWater: 0,
      strategy: 3,
    });
    // A job that would have to wait is refused at once.
    let last: Promise<Decision> = Promise.resolve({ admitted: true });
    const decide = async (): Promise<Decision> => {
      const admitted = await own.check();
      if (admitted) await own.schedule(async () => undefined);
      return { admitted };
    };
    return () => {
      last = last.then(decide);
      return last;
    };
  });
};

const inFlightCap = (): Decide => {
  const { default: pLimit } = load('p-limit') as {
    default: (concurrency: number) => {
      (job: () => Promise<void>): Promise<void>;
      readonly activeCount: number;
    };
  };
  return forEachKey(() => {
    const own = pLimit(limit);
    return () => {
      if (own.activeCount >= limit) return { admitted: false };
      const { promise, resolve } = Promise.withResolvers<void>();
      void own(() => promise);
      return { admitted: true, release: resolve };
    };
  });
};

export const npmLimiters: Readonly<Record<string, () => Decide>> = {
  'express-rate-limit-5': () => expressRateLimit('express-rate-limit-5'),
  'express-rate-limit-8': () => expressRateLimit('express-rate-limit'),
  'rate-limiter-flexible': flexible,
  limiter: tokenLimiter,
  bottleneck: reservoir,
  'p-limit': inFlightCap,
};
