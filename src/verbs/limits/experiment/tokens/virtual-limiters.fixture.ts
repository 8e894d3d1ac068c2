import {
  chargings,
  randomFrom,
  tokenStores,
} from '../../../../judge/limits/facts/true-token-limiters.fixture.ts';
import { judgeTokenLog } from '../../judge/tokens/judge-tokens.ts';
import { examineTokens } from './examine-tokens.ts';
import { tokenBudget } from './token-budget.ts';
import { planTokens } from './token-plan.ts';
import { openVirtualGateway, type VirtualLimiter } from './virtual-token-gateway.fixture.ts';
import { openVirtualWorld } from './virtual-world.fixture.ts';

const wide = (random: () => number): number => 0.5 + random();
const near = (random: () => number): number => 0.95 + 0.1 * random();

const neverCorrected = chargings['reserved at the start, never corrected'];
const ownCount = {
  ...neverCorrected,
  asks: ({ estimate, maxTokens }: Parameters<typeof neverCorrected.asks>[0]) =>
    estimate + maxTokens,
  atStart: ({ estimate, maxTokens }: Parameters<typeof neverCorrected.asks>[0]) =>
    estimate + maxTokens,
};

/** Every store with every rule of charging. */
export const compliantLimiters: Readonly<Record<string, VirtualLimiter>> = Object.fromEntries(
  Object.entries(tokenStores).flatMap(([name, store]) =>
    Object.entries(chargings).map(([rule, charging]) => {
      const isFixed = charging === neverCorrected;
      const limiter: VirtualLimiter = isFixed
        ? { store, charging: ownCount, estimate: near }
        : { store, charging, estimate: wide };
      return [`${name}, ${rule}`, limiter];
    }),
  ),
);

const atEnd = chargings['charged at the end'];
const grid: VirtualLimiter = {
  store: tokenStores['fixed window on a grid'],
  charging: atEnd,
  flush: 500,
};
const first: VirtualLimiter = {
  ...grid,
  store: tokenStores['fixed window from the first request'],
};

export const faultyLimiters: Readonly<Record<string, VirtualLimiter>> = {
  'never enforced': { ...grid, isNeverEnforced: true },
  'limit x 2': { ...grid, times: 2 },
  'two replicas in turn': { ...first, replicas: { count: 2, by: 'turn' } },
  'three replicas in turn': { ...first, replicas: { count: 3, by: 'turn' } },
  'three replicas by connection': { ...first, replicas: { count: 3, by: 'connection' } },
  'streams are free': {
    ...first,
    charging: { ...atEnd, atEnd: (chat) => (chat.isStream ? 0 : atEnd.atEnd(chat)) },
  },
  'only completions are charged': {
    ...first,
    charging: { ...atEnd, atEnd: ({ answer }) => answer },
  },
  'charged 10 s late': { ...first, late: 10_000 },
  'refuses 30 % early': { ...grid, times: 0.7 },
  'prompts counted twice': {
    ...first,
    charging: { ...atEnd, atEnd: ({ prompt, answer }) => 2 * prompt + answer },
  },
  'window twice as long': { ...first, stretch: 2 },
  'locked for 3 windows': { ...first, lockedFor: 3 },
  'never reset while requests pass': { ...first, isNeverReset: true },
  '5 % refused at random': { ...first, refusedShare: 0.05 },
  'names requests': { ...grid, unit: 'requests' },
  'remaining never falls': { ...grid, isRemainingStuck: true },
  'charged 3 s late': { ...first, late: 3000 },
  'limit x 1.5': { ...grid, times: 1.5 },
  'limit x 1.2': { ...grid, times: 1.2 },
  'refuses 20 % early': { ...grid, times: 0.8 },
};

/** Compliant gateways beyond the tolerances of the judge. */
export const threats: Readonly<Record<string, VirtualLimiter>> = Object.fromEntries(
  Object.entries({
    grid,
    first,
    log: { ...grid, store: tokenStores['sliding log'] },
    counter: { ...grid, store: tokenStores['sliding counter'] },
    bucket: { ...grid, store: tokenStores['token bucket'] },
  }).flatMap(([name, limiter]): (readonly [string, VirtualLimiter])[] => [
    [`${name}: others use 20 % of the key`, { ...limiter, spent: 0.2 }],
    [`${name}: a hidden prompt of 9,000 tokens`, { ...limiter, hidden: 9000 }],
    [`${name}: a hidden prompt of 18,000 tokens`, { ...limiter, hidden: 18_000 }],
    [
      `${name}: 1.4 times the prompt charged`,
      { ...limiter, charging: { ...atEnd, atEnd: ({ prompt, answer }) => 1.4 * prompt + answer } },
    ],
    [
      `${name}: own count of 1.35, never corrected`,
      { ...limiter, charging: ownCount, estimate: () => 1.35 },
    ],
    [
      `${name}: own count of 0.75, never corrected`,
      { ...limiter, charging: ownCount, estimate: () => 0.75 },
    ],
    [`${name}: cached prompts neither charged nor reported`, { ...limiter, hidesCache: true }],
    [`${name}: usage flushed every 5 s`, { ...limiter, flush: 5000 }],
    [`${name}: usage flushed every 15 s`, { ...limiter, flush: 15_000 }],
  ]),
);

/** A store with a sixth of the limit in each sixth of the window. */
const sixthWindows: VirtualLimiter['store'] = ({ limit, window, random }) => {
  const shape = { limit: limit / 6, window: window / 6, random };
  const store = tokenStores['fixed window on a grid'](shape);
  return { add: store.add, used: (now) => limit - shape.limit + store.used(now) };
};

const requestStores = [
  tokenStores['fixed window from the first request'],
  tokenStores['fixed window on a grid'],
  tokenStores['sliding log'],
  tokenStores['token bucket'],
  tokenStores['bucket of a quarter'],
  tokenStores['bucket that refills in steps'],
  sixthWindows,
];
/** The number of stores at the end of the list that refuse fewer requests at once than the limit. */
const smallStores = 3;

export interface VirtualExamination {
  readonly hasHeaders?: boolean;
  readonly isPromised?: boolean;
  readonly isQuick?: boolean;
  readonly sustain?: number;
  readonly speed?: readonly [number, number];
  readonly tokens?: number;
  readonly window?: number;
  /** Whether a bucket of a quarter may keep the limit of requests. It ends a burst before the tokens do. */
  readonly hasSmallBucket?: boolean;
  readonly isCachedCheaper?: boolean;
}

/** Examines a limiter in virtual time. The seed draws its phase, its answers and the limiter of requests. */
export const examineVirtually = async (
  limiter: VirtualLimiter,
  seed: number,
  {
    hasHeaders = true,
    isPromised = false,
    isQuick = false,
    sustain = 0,
    speed = [15_000, 250_000],
    tokens = 2_000_000,
    window = 60_000,
    hasSmallBucket = true,
    isCachedCheaper = false,
  }: VirtualExamination = {},
) => {
  const random = randomFrom(seed);
  const world = openVirtualWorld();
  const rule = { tokens, requests: 60, window };
  const plan = planTokens({
    rule,
    context: null,
    isQuick,
    sustain,
    hasOtherModel: true,
    hasAudio: true,
    isCachedCheaper,
  });
  if (typeof plan === 'string') throw new Error(plan);
  const budget = tokenBudget(plan, null);
  const requestStore =
    requestStores[
      Math.floor(random() * (requestStores.length - (hasSmallBucket ? 0 : smallStores)))
    ]!;
  const client = openVirtualGateway(world, limiter, {
    ...rule,
    hasHeaders,
    speed,
    requestStore,
    random,
  });
  const begin = 1e6 + 10 * window * random();
  const log = await world.run(async () => {
    await world.sleepUntil(begin);
    return examineTokens(client, {
      plan,
      budget: { requests: budget.requests.most, tokens: budget.tokens.most },
      stopReason: () => null,
      onPhaseStart: () => undefined,
    });
  });
  const findings = judgeTokenLog(log, { isPromised });
  return { log, findings, budget, time: world.now() - begin };
};
