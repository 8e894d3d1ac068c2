import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { type HonestTarget, usageFoundWith } from '../../acceptance/check/usage-seeds.fixture.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { milliseconds } from '../../model/quantity.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import {
  freePort,
  provingKeys,
  type RunningServer,
  type ServerOptions,
} from '../harness/server-process.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { startLlama, toolTemplate } from './model-servers.ts';

/** This file audits the usage of servers of others over many seeds: of the prompts, and of what is behind them. */

interface SeededServer extends RunningServer {
  /** Gives what is behind it the seed. */
  readonly seed: (seed: number) => Promise<void>;
}

interface SeededCase extends Pick<HonestTarget, 'model' | 'profile'> {
  readonly name: string;
  readonly start: (options: ServerOptions) => Promise<SeededServer>;
}

const [key] = provingKeys;

const startSeededLiteLlm = async (options: ServerOptions): Promise<SeededServer> => {
  const port = await freePort();
  const startBehind = (seed: number) =>
    startMock(
      {
        port,
        seed,
        keys: [...provingKeys],
        models: ['proving/small'],
        ttft: milliseconds(2),
        gap: milliseconds(1),
        limits: { requestsPerMinute: null, tokensPerMinute: null },
        promptCache: seed % 2 === 0 ? { keeps: milliseconds(30_000), tokens: 20_000 } : {},
      },
      realClock(),
    );
  let behind = await startBehind(0);
  const limits = { requestsPerWindow: 1e6, tokensPerWindow: 1e9, window: 60_000 };
  const proxy = await startLiteLlm({ ...options, upstream: `127.0.0.1:${port}`, ...limits });
  return {
    url: proxy.url,
    seed: async (seed) => {
      await behind.close();
      behind = await startBehind(seed);
    },
    stop: async () => {
      await proxy.stop();
      await behind.close();
    },
  };
};

const cases: readonly SeededCase[] = [
  { name: 'LiteLLM proxy', model: 'proving/small', profile: 'litellm', start: startSeededLiteLlm },
  {
    name: 'llama.cpp',
    model: 'random',
    profile: 'llama.cpp',
    // It draws each answer with a new seed.
    start: async (options) => ({
      ...(await startLlama(options, [], toolTemplate)),
      seed: () => Promise.resolve(),
    }),
  },
];

const auditAll = async (
  { model, profile, start }: SeededCase,
  seeds: number,
  context: TestContext,
) => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const options = { port: await freePort(), folder: own.path, log: join(own.path, 'log') };
  const server = await orSkip(context, () => start(options));
  try {
    const all: Awaited<ReturnType<typeof usageFoundWith>>[] = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      await server.seed(seed);
      all.push(await usageFoundWith({ url: server.url, model, key, profile }, seed));
    }
    return {
      found: all.flatMap(({ found }) => found),
      decided: Math.min(...all.map(({ decided }) => decided)),
      compared: Math.min(...all.map(({ compared }) => compared)),
    };
  } finally {
    await server.stop();
  }
};

/** Declares a test for each server over so many seeds. */
export const testUsageOver = (seeds: number): void => {
  it.for(cases)(
    `nothing is reported of the usage of $name over ${seeds} seeds`,
    { timeout: 600_000 + seeds * 10_000 },
    async (each, context) => {
      const { found, decided, compared } = await auditAll(each, seeds, context);
      expect(found).toEqual([]);
      expect(decided).toBeGreaterThan(5);
      expect(compared).toBeGreaterThan(50);
    },
  );
};
