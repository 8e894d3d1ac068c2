import type { LimiterCase, PlantedFault } from './limiter-case.ts';
import { liteLlmProxy } from './litellm-proxy.ts';
import { goGateway, mavenGateway, npmGateway, pythonGateway } from './own-gateways.ts';
import { haproxyRequestRate, nginxLimitReq } from './proxies.ts';

type Described = Pick<LimiterCase, 'name' | 'registry' | 'start' | 'classes'>;

const npm = (name: string, start: LimiterCase['start'], ...classes: string[]): Described => ({
  name,
  registry: 'npm',
  start,
  classes,
});
const pypi = (
  limiter: string,
  [name, module]: readonly [string, string],
  ...classes: string[]
): Described => ({ name, registry: 'PyPI', start: pythonGateway(limiter, module), classes });
const go = (
  limiter: string,
  [name, module]: readonly [string, string],
  ...classes: string[]
): Described => ({ name, registry: 'Go', start: goGateway(limiter, module), classes });
const maven = (limiter: string, artifact: string, ...classes: string[]): Described => ({
  name: limiter,
  registry: 'Maven',
  start: mavenGateway(limiter, artifact),
  classes,
});
const debian = (name: string, start: LimiterCase['start'], ...classes: string[]): Described => ({
  name,
  registry: 'Debian',
  start,
  classes,
});

const described: readonly Described[] = [
  npm('express-rate-limit 5', npmGateway('express-rate-limit-5'), 'fixed-any-phase'),
  npm(
    'express-rate-limit 8',
    npmGateway('express-rate-limit-8', 'express-rate-limit'),
    'fixed-from-first',
  ),
  npm('rate-limiter-flexible', npmGateway('rate-limiter-flexible'), 'fixed-from-first'),
  // A bucket, and no more than the limit in a fixed window besides: no class of ours, but close to either.
  npm('limiter', npmGateway('limiter'), 'fixed-from-first', 'token-bucket'),
  npm('bottleneck, reservoir', npmGateway('bottleneck'), 'fixed-any-phase'),
  pypi('limits-fixed', ['limits, fixed window', 'limits'], 'fixed-from-first'),
  pypi('limits-moving', ['limits, moving window', 'limits'], 'sliding-log'),
  pypi('limits-counter', ['limits, sliding counter', 'limits'], 'sliding-counter'),
  pypi('aiolimiter-wait', ['aiolimiter, waiting', 'aiolimiter'], 'delay-after-burst'),
  pypi('aiolimiter-refuse', ['aiolimiter, refusing', 'aiolimiter'], 'token-bucket'),
  pypi('pyrate-limiter', ['pyrate-limiter', 'pyrate-limiter'], 'sliding-log'),
  pypi('slowapi', ['slowapi', 'slowapi'], 'fixed-from-first'),
  go('x-time-rate-allow', ['x/time/rate, Allow', 'golang.org/x/time'], 'token-bucket'),
  go('x-time-rate-wait', ['x/time/rate, Wait', 'golang.org/x/time'], 'delay-after-burst'),
  go('uber-ratelimit', ['uber ratelimit', 'go.uber.org/ratelimit'], 'leaky-queue'),
  go('throttled', ['throttled, GCRA', 'github.com/throttled/throttled/v2'], 'token-bucket'),
  go('httprate', ['httprate', 'github.com/go-chi/httprate'], 'sliding-counter'),
  maven('bucket4j-greedy', 'bucket4j_jdk17-core', 'token-bucket'),
  maven('bucket4j-intervally', 'bucket4j_jdk17-core', 'fixed-any-phase', 'stepped-bucket'),
  maven('resilience4j', 'resilience4j-ratelimiter', 'fixed-any-phase'),
  debian(
    'nginx limit_req, burst nodelay',
    nginxLimitReq((limit) => `burst=${limit - 1} nodelay`),
    'token-bucket',
  ),
  debian(
    'nginx limit_req, small burst',
    nginxLimitReq((limit) => `burst=${Math.floor(limit / 4)} nodelay`),
    'burst-bucket',
  ),
  debian(
    'nginx limit_req, no burst',
    nginxLimitReq(() => ''),
    'burst-bucket',
  ),
  debian(
    'nginx limit_req, delay',
    nginxLimitReq((limit) => `burst=${Math.floor(limit / 4)}`),
    'leaky-queue',
    'delay-after-burst',
  ),
  debian('HAProxy http_req_rate', haproxyRequestRate, 'counter-counting-refusals'),
  { name: 'LiteLLM proxy', registry: 'PyPI', start: liteLlmProxy, classes: ['fixed-from-first'] },
];

/** Every compliant limiter. */
export const compliantCases: readonly LimiterCase[] = described.map((each) => ({
  ...each,
  isCompliant: true,
}));

const planted = (name: string, fault: PlantedFault): LimiterCase => {
  const own = described.find((each) => each.name === name);
  if (own === undefined) throw new Error(`there is no limiter ${name}`);
  return { ...own, isCompliant: false, fault };
};

/** Limiters with a planted fault: the limit is not kept, though each works as its source says. */
export const faultyCases: readonly LimiterCase[] = [
  planted('express-rate-limit 8', { what: 'limit × 1.25', limit: 1.25 }),
  planted('limits, moving window', { what: 'limit × 2', limit: 2 }),
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
  planted('limiter', { what: '10 % refused at random', words: ['noise=0.1'] }),
  {
    name: 'p-limit',
    registry: 'npm',
    start: npmGateway('p-limit'),
    classes: ['in-flight'],
    isCompliant: false,
    fault: { what: 'only a cap on requests in flight', words: ['service=20'] },
  },
];

/** Examined at the real window of a minute, too. */
const atSixtySeconds: readonly string[] = [
  'express-rate-limit 5',
  'limits, moving window',
  'aiolimiter, waiting',
  'httprate',
  'nginx limit_req, small burst',
  'LiteLLM proxy',
];

const named = (names: readonly string[]): readonly LimiterCase[] =>
  compliantCases.filter(({ name }) => names.includes(name));

export const casesOfSixtySeconds = named(atSixtySeconds);

/** Those whose classes differ most, of every registry; `.ci/run` examines them. */
const inContinuousIntegration: readonly string[] = [
  'express-rate-limit 5',
  'express-rate-limit 8',
  'limits, moving window',
  'aiolimiter, waiting',
  'throttled, GCRA',
  'httprate',
  'resilience4j',
  'nginx limit_req, small burst',
  'HAProxy http_req_rate',
  'LiteLLM proxy',
];

export const casesOfContinuousIntegration = named(inContinuousIntegration);

/** Faults of three kinds: too much at once, too much for ever, and no common store. */
const plantedInContinuousIntegration: readonly string[] = [
  'limits, moving window',
  'p-limit',
  'rate-limiter-flexible',
];

export const faultsOfContinuousIntegration = faultyCases.filter(({ name }) =>
  plantedInContinuousIntegration.includes(name),
);
