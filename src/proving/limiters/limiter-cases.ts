import { setTimeout as sleep } from 'node:timers/promises';
import type { LimiterClass } from '../../model/limits/limit-log.ts';
import type { LimiterCase, PlantedFault } from './limiter-case.ts';
import { liteLlmProxy } from './litellm-proxy.ts';
import { goGateway, mavenGateway, npmGateway, pythonGateway } from './own-gateways.ts';
import { envoyLocalRateLimit, haproxyRequestRate, nginxLimitReq } from './proxies.ts';

type Start = LimiterCase['start'];

/** Where in the clock's window a limiter starts whose own window begins with it. */
const startPhase = 0.4;

/** A fixed window that does not begin with a window of the clock: such a window would rightly be named aligned. */
const inOwnPhase =
  (start: Start): Start =>
  async (options, words) => {
    const { window } = options;
    const wait = startPhase * window - (Date.now() % window);
    await sleep(wait < 0 ? wait + window : wait);
    return start(options, words);
  };

const compliant = (name: string, start: Start, ...classes: LimiterClass[]): LimiterCase => ({
  name,
  start,
  classes,
});

/** It reserves what it counts of a prompt and `max_tokens`, and corrects that once the answer has ended. */
const liteLlm = (name: string, tokens?: number): LimiterCase => ({
  ...compliant(name, liteLlmProxy, 'fixed-from-first'),
  ...(tokens === undefined ? {} : { tokens }),
  charges: 'corrected later',
  // Its cache forgets the count one window after it was first kept, though the window of whole seconds has begun anew since.
  restarts: true,
});

/**
 * Every compliant limiter. No class describes a delay after a burst or a counter of refusals: where a source says that, no class
 * is given.
 */
export const compliantCases: readonly LimiterCase[] = [
  compliant(
    'express-rate-limit 5',
    inOwnPhase(npmGateway('express-rate-limit-5')),
    'fixed-any-phase',
  ),
  compliant(
    'express-rate-limit 8',
    npmGateway('express-rate-limit-8', 'express-rate-limit'),
    'fixed-from-first',
  ),
  compliant('rate-limiter-flexible', npmGateway('rate-limiter-flexible'), 'fixed-from-first'),
  // A bucket, and no more than the limit in a fixed window besides: no class of ours, but close to either.
  compliant('limiter', npmGateway('limiter'), 'fixed-from-first', 'token-bucket'),
  compliant('bottleneck, reservoir', inOwnPhase(npmGateway('bottleneck')), 'fixed-any-phase'),
  compliant('limits, fixed window', pythonGateway('limits-fixed', 'limits'), 'fixed-from-first'),
  compliant('limits, moving window', pythonGateway('limits-moving', 'limits'), 'sliding-log'),
  compliant(
    'limits, sliding counter',
    pythonGateway('limits-counter', 'limits'),
    'sliding-counter',
  ),
  compliant('aiolimiter, waiting', pythonGateway('aiolimiter-wait', 'aiolimiter')),
  compliant(
    'aiolimiter, refusing',
    pythonGateway('aiolimiter-refuse', 'aiolimiter'),
    'token-bucket',
  ),
  compliant('pyrate-limiter', pythonGateway('pyrate-limiter', 'pyrate-limiter'), 'sliding-log'),
  compliant('slowapi', pythonGateway('slowapi', 'slowapi'), 'fixed-from-first'),
  compliant(
    'x/time/rate, Allow',
    goGateway('x-time-rate-allow', 'golang.org/x/time'),
    'token-bucket',
  ),
  compliant('x/time/rate, Wait', goGateway('x-time-rate-wait', 'golang.org/x/time')),
  compliant('uber ratelimit', goGateway('uber-ratelimit', 'go.uber.org/ratelimit'), 'leaky-queue'),
  compliant(
    'throttled, GCRA',
    goGateway('throttled', 'github.com/throttled/throttled/v2'),
    'token-bucket',
  ),
  compliant('httprate', goGateway('httprate', 'github.com/go-chi/httprate'), 'sliding-counter'),
  compliant(
    'bucket4j-greedy',
    mavenGateway('bucket4j-greedy', 'bucket4j_jdk17-core'),
    'token-bucket',
  ),
  compliant(
    'bucket4j-intervally',
    mavenGateway('bucket4j-intervally', 'bucket4j_jdk17-core'),
    'stepped-bucket',
    // One step a window, which fills it: a window of regular times.
    'fixed-any-phase',
  ),
  compliant(
    'resilience4j',
    inOwnPhase(mavenGateway('resilience4j', 'resilience4j-ratelimiter')),
    'fixed-any-phase',
  ),
  compliant(
    'nginx limit_req, burst nodelay',
    nginxLimitReq((limit) => `burst=${limit - 1} nodelay`),
    'token-bucket',
  ),
  compliant(
    'nginx limit_req, small burst',
    nginxLimitReq((limit) => `burst=${Math.floor(limit / 4)} nodelay`),
    'burst-bucket',
  ),
  compliant(
    'nginx limit_req, no burst',
    nginxLimitReq(() => ''),
    'burst-bucket',
  ),
  compliant(
    'nginx limit_req, delay',
    nginxLimitReq((limit) => `burst=${Math.floor(limit / 4)}`),
    'leaky-queue',
  ),
  compliant('HAProxy http_req_rate', haproxyRequestRate),
  compliant('Envoy local rate limit', envoyLocalRateLimit, 'token-bucket'),
  liteLlm('LiteLLM proxy'),
  liteLlm('LiteLLM proxy, 5,000 tokens', 5000),
  // Its tokens end before its requests.
  liteLlm('LiteLLM proxy, 60 tokens', 60),
];

const caseNamed = (name: string): LimiterCase => {
  const found = compliantCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no limiter ${name}`);
  return found;
};

const planted = (name: string, fault: PlantedFault): LimiterCase => ({
  ...caseNamed(name),
  fault,
});

/** Limiters with a planted fault: the limit is not kept, though each works as its source says. */
export const faultyCases: readonly LimiterCase[] = [
  planted('express-rate-limit 8', { what: 'limit × 1.25', limit: 1.25 }),
  planted('express-rate-limit 8', { what: 'window × 0.8', window: 0.8 }),
  planted('limits, moving window', { what: 'limit × 2', limit: 2 }),
  planted('limits, moving window', { what: 'window × 1.2', window: 1.2 }),
  planted('throttled, GCRA', { what: 'limit × 0.5', limit: 0.5 }),
  planted('httprate', { what: 'window × 0.5', window: 0.5 }),
  planted('x/time/rate, Allow', {
    what: 'twice the rate, small burst',
    limit: 2,
    words: ['burst=4'],
  }),
  planted('resilience4j', { what: 'limit × 4', limit: 4 }),
  planted('rate-limiter-flexible', {
    what: 'three workers without a common store',
    words: ['workers=3'],
  }),
  planted('limits, fixed window', { what: 'window × 2', window: 2 }),
  planted('uber ratelimit', { what: 'limit × 0.8', limit: 0.8 }),
  planted('nginx limit_req, delay', { what: 'limit × 0.8', limit: 0.8 }),
  planted('limiter', { what: '10 % refused at random', words: ['noise=0.1'] }),
  {
    name: 'p-limit',
    start: npmGateway('p-limit'),
    classes: ['in-flight'],
    fault: { what: 'only a cap on requests in flight', words: ['service=20'] },
  },
];

/** Examined at the real window of a minute, too. */
export const casesOfSixtySeconds = [
  'express-rate-limit 5',
  'limits, moving window',
  'aiolimiter, waiting',
  'httprate',
  'nginx limit_req, small burst',
  'LiteLLM proxy',
].map(caseNamed);

/** Those whose classes differ most, of every registry; `.ci/run` examines them. */
export const casesOfContinuousIntegration = [
  'express-rate-limit 5',
  'express-rate-limit 8',
  'limits, moving window',
  'aiolimiter, waiting',
  'throttled, GCRA',
  'httprate',
  'resilience4j',
  'nginx limit_req, small burst',
  'HAProxy http_req_rate',
  'Envoy local rate limit',
  'LiteLLM proxy, 5,000 tokens',
].map(caseNamed);

/**
 * Limiters of several kinds, for a paced client. Without httprate: after a refusal it asks for a wait until its window
 * ends, so that a single one costs a sixth of a minute's work.
 */
export const pacedCases = [
  'express-rate-limit 8',
  'limits, moving window',
  'nginx limit_req, small burst',
  'HAProxy http_req_rate',
].map(caseNamed);

/** Faults of five kinds: too much at once, too much for ever, another window, no common store, and a queue that is too slow. */
const plantedInContinuousIntegration: readonly string[] = [
  'limits, moving window',
  'p-limit',
  'rate-limiter-flexible',
  'nginx limit_req, delay',
];

export const faultsOfContinuousIntegration = faultyCases.filter(({ name }) =>
  plantedInContinuousIntegration.includes(name),
);
