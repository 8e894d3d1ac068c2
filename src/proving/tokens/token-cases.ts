import { join } from 'node:path';
import { milliseconds } from '../../model/quantity.ts';
import {
  installedMaven,
  installedNpm,
  installedPython,
  pinnedIn,
  roomFile,
} from '../harness/installed.ts';
import { freePort, type RunningServer, startServer } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { type EnvoyTerms, envoyTokens } from './envoy-tokens.ts';
import type { TokenOptions } from './token-options.ts';

/** A limiter of tokens that others wrote, behind a gateway, and what is true of it. */
export interface TokenCase {
  readonly name: string;
  readonly start: (options: TokenOptions) => Promise<RunningServer & { readonly version: string }>;
  /** A planted fault; absent if the limiter keeps its limit as it says. */
  readonly fault?: string;
  /** What its source does by itself that breaks the limit. */
  readonly leak?: string;
}

type Started = RunningServer & { readonly version: string };
type Store = () => Promise<{
  readonly words: readonly string[];
  readonly version: string;
  readonly stop: () => Promise<void>;
}>;

const npmStore: Store = async () => {
  const packages = await installedNpm('npm', 'limiters/npm');
  const version = await pinnedIn(
    'limiters/npm/manifest.json',
    /"rate-limiter-flexible": "([\d.]+)"/,
  );
  return {
    words: ['store=flexible', `packages=${packages}`],
    version,
    stop: async () => undefined,
  };
};

const limitsStore =
  (strategy: string): Store =>
  async () => {
    const packages = await installedPython('pypi', 'limiters/pypi/requirements.txt');
    const version = await pinnedIn('limiters/pypi/requirements.txt', /^limits==(.+)$/m);
    const port = await freePort();
    const { stop } = await startServer({
      command: [
        'python3',
        roomFile('tokens/limits_store.py'),
        `port=${port}`,
        `strategy=${strategy}`,
      ],
      port,
      env: { PYTHONPATH: packages },
    });
    return { words: [`store=http://127.0.0.1:${port}`, 'packages=/'], version, stop };
  };

const bucketStore =
  (refill: string): Store =>
  async () => {
    const jars = await installedMaven('maven', 'limiters/maven/pom.xml');
    const version = await pinnedIn(
      'limiters/maven/pom.xml',
      /bucket4j_jdk17-core<\/artifactId>\s*<version>(.+?)</,
    );
    const port = await freePort();
    const source = roomFile('tokens/BucketStore.java');
    const command = [
      'java',
      '-cp',
      join(jars, '*'),
      source,
      `port=${port}`,
      `refill=${refill}`,
    ] as const;
    const { stop } = await startServer({ command, port });
    return { words: [`store=http://127.0.0.1:${port}`, 'packages=/'], version, stop };
  };

/** A gateway of this room that charges to a store of others by a rule. */
const tokenGateway =
  (store: Store, rule: string, ...more: readonly string[]) =>
  async ({ port, log, tokens, requests }: TokenOptions): Promise<Started> => {
    const { words, version, stop: stopStore } = await store();
    const own = [`port=${port}`, `log=${log}`, `limit=${tokens}`, 'window=60000', `rule=${rule}`];
    const command = [
      process.execPath,
      roomFile('tokens/gateway.ts'),
      ...own,
      `requests=${requests}`,
      ...words,
      ...more,
    ] as const;
    const running = await startServer({
      command,
      port,
    });
    const stop = async (): Promise<void> => {
      await running.stop();
      await stopStore();
    };
    return { ...running, stop, version };
  };

const stores = {
  'rate-limiter-flexible': npmStore,
  'limits, fixed window': limitsStore('FixedWindowRateLimiter'),
  'limits, moving window': limitsStore('MovingWindowRateLimiter'),
  'limits, sliding counter': limitsStore('SlidingWindowCounterRateLimiter'),
  'bucket4j, greedy': bucketStore('greedy'),
  'bucket4j, intervally': bucketStore('intervally'),
} as const satisfies Record<string, Store>;

interface LiteLlmTerms {
  readonly workers?: number;
  readonly packages?: string;
  /** What it is configured with, as a multiple of what is declared. */
  readonly limitFactor?: number;
  readonly windowFactor?: number;
}

/** LiteLLM's proxy before our own gateway, with a limit of tokens for a key, its team, or a model of the key. */
const liteLlm =
  (scope: 'key' | 'team' | 'model', terms: LiteLlmTerms = {}) =>
  ({ tokens, requests, window = 60_000, ...options }: TokenOptions): Promise<Started> => {
    const { workers = 1, packages, limitFactor = 1, windowFactor = 1 } = terms;
    return startBeforeGateway(
      (upstream) =>
        startLiteLlm({
          ...options,
          upstream,
          window: windowFactor * window,
          requestsPerWindow: windowFactor * requests,
          tokensPerWindow: Math.round(limitFactor * tokens),
          tokenLog: { scope, workers, ...(packages === undefined ? {} : { packages }) },
        }),
      { ttft: milliseconds(150), gap: milliseconds(4) },
    );
  };

const rules = ['reserved and corrected', 'reserved', 'prompt, then answer', 'at the end'] as const;

const owned = (
  store: keyof typeof stores,
  rule: (typeof rules)[number],
  fault?: string,
): TokenCase => ({
  name: `${store}, ${rule}`,
  start: tokenGateway(stores[store], rule, ...(fault === undefined ? [] : [`fault=${fault}`])),
  ...(fault === undefined ? {} : { fault }),
});

/** Stores that drop a charge for which there is no room, so that what is charged at the end is never charged. */
const droppingStores = new Set(['limits, moving window', 'limits, sliding counter']);

const ownCases = (Object.keys(stores) as (keyof typeof stores)[]).flatMap((store) =>
  rules.map((rule): TokenCase => {
    const isDropped = rule === 'at the end' && droppingStores.has(store);
    const leak = 'charges without room are dropped';
    return { ...owned(store, rule), ...(isDropped ? { leak } : {}) };
  }),
);

const faults = [
  'never enforced',
  'limit x 2',
  'limit x 1.5',
  'three replicas',
  'only completions',
  'streams free',
  'limit x 0.7',
  'window x 2',
  'tokens counted twice',
  'refused at random',
  'wrong name',
];

const faultyCases = [
  ...faults.flatMap((fault) => [
    owned('rate-limiter-flexible', 'at the end', fault),
    owned('bucket4j, greedy', 'reserved and corrected', fault),
    owned('limits, fixed window', 'prompt, then answer', fault),
  ]),
  // Late corrections of what was charged at admission would break no limit.
  owned('rate-limiter-flexible', 'at the end', 'charged 20 s late'),
  // It blocks a key by itself.
  owned('rate-limiter-flexible', 'prompt, then answer', 'locked for four windows'),
];

const liteLlmFaults: readonly (readonly [fault: string, terms: LiteLlmTerms])[] = [
  ['never enforced', { limitFactor: 1000 }],
  ['limit x 2', { limitFactor: 2 }],
  ['limit x 1.5', { limitFactor: 1.5 }],
  ['limit x 0.7', { limitFactor: 0.7 }],
  ['window x 2', { windowFactor: 2 }],
  ['two workers without Redis', { workers: 2 }],
];

const liteLlmCases: readonly TokenCase[] = [
  ...(['key', 'team', 'model'] as const).map((scope) => ({
    name: `LiteLLM proxy, limit of the ${scope}`,
    start: liteLlm(scope),
  })),
  ...liteLlmFaults.map(([fault, terms]) => ({
    name: 'LiteLLM proxy, limit of the key',
    start: liteLlm('key', terms),
    fault,
  })),
];

/** Limits of input or output alone, each with a fault. */
export const unitCases = (['input', 'output'] as const).map((counts) => ({
  unit: `${counts}-tokens`,
  kept: { name: `Envoy local rate limit, ${counts}`, start: envoyTokens({ counts }) },
  broken: {
    name: `Envoy local rate limit, ${counts}`,
    start: envoyTokens({ counts, limitFactor: 2 }),
    fault: 'limit x 2',
  },
})) satisfies readonly { readonly kept: TokenCase; readonly broken: TokenCase }[];

/** Limits of a team of all keys; as a fault of that, each key has it. */
export const teamCases = {
  kept: [
    { name: 'Envoy local rate limit, team', start: envoyTokens({ isOfTeam: true }) },
    { name: 'LiteLLM proxy, limit of the team', start: liteLlm('team') },
  ],
  broken: {
    name: 'Envoy local rate limit, team',
    start: envoyTokens(),
    fault: 'each key has the limit',
  },
} as const satisfies { readonly kept: readonly TokenCase[]; readonly broken: TokenCase };

/** An older version, installed by hand: `pip install --target FOLDER 'litellm[proxy]==1.63.14'`. */
const olderPackages = process.env['WEIR_OLDER_LITELLM'];
const olderCase = (scope: 'key' | 'team', terms: LiteLlmTerms, fault?: string): TokenCase => ({
  name: `LiteLLM proxy, older, limit of the ${scope}`,
  start: liteLlm(scope, terms),
  ...(fault === undefined ? {} : { fault }),
});
const olderCases: readonly TokenCase[] =
  olderPackages === undefined
    ? []
    : [
        olderCase('key', { packages: olderPackages }),
        olderCase('team', { packages: olderPackages }),
        ...liteLlmFaults
          .filter(([, { windowFactor = 1 }]) => windowFactor === 1)
          .map(([fault, terms]) => olderCase('key', { ...terms, packages: olderPackages }, fault)),
      ];

const envoyFaults: readonly (readonly [fault: string, terms: EnvoyTerms])[] = [
  ['never enforced', { limitFactor: 1000 }],
  ['limit x 2', { limitFactor: 2 }],
  ['limit x 1.5', { limitFactor: 1.5 }],
  ['limit x 0.7', { limitFactor: 0.7 }],
  ['window x 2', { windowFactor: 2 }],
  ['only completions', { cost: 'most' }],
  // It refuses a cost of nothing.
  ['streams free', { cost: 'isStream and 1 or prompt + most' }],
  ['prompts counted twice', { cost: '2 * prompt + most' }],
];

const envoyCases: readonly TokenCase[] = [
  { name: 'Envoy local rate limit, reserved', start: envoyTokens() },
  {
    name: 'Envoy local rate limit, reserved, headers',
    start: envoyTokens({ hasHeaders: true }),
  },
  {
    name: 'Envoy local rate limit, at the end',
    start: envoyTokens({ isAtEnd: true }),
    leak: 'its local rate limit ignores costs at the end of a stream',
  },
  ...envoyFaults.map(([fault, terms]) => ({
    name: 'Envoy local rate limit, reserved',
    start: envoyTokens(terms),
    fault,
  })),
];

export const tokenCases: readonly TokenCase[] = [
  ...envoyCases,
  ...ownCases,
  ...faultyCases,
  ...liteLlmCases,
  ...olderCases,
];

const named = (name: string, fault?: string): TokenCase => {
  const found = tokenCases.find((each) => each.name === name && each.fault === fault);
  if (found === undefined) throw new Error(`no such case: ${name}`);
  return found;
};

/** What starts within seconds, one of each store and each way of charging. */
export const quickTokenCases: readonly TokenCase[] = [
  named('rate-limiter-flexible, at the end'),
  named('limits, fixed window, reserved and corrected'),
  named('limits, moving window, prompt, then answer'),
  named('bucket4j, greedy, reserved'),
];

export const quickTokenFaults: readonly TokenCase[] = [
  named('rate-limiter-flexible, at the end', 'never enforced'),
];

/** What a run of some minutes shows of refusals: limits that are kept, a lower one, and wrong names. */
export const longTokenCases: readonly TokenCase[] = [
  ...quickTokenCases,
  named('rate-limiter-flexible, at the end', 'limit x 0.7'),
  named('limits, fixed window, prompt, then answer', 'limit x 0.7'),
  named('rate-limiter-flexible, at the end', 'wrong name'),
];
