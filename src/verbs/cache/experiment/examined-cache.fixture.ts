import { countTokens } from '../../../mock/chat/tokens.ts';
import { openPrefixCache } from '../../../mock/serving/serving.ts';
import { type CachingServer, serveCache } from './caching-server.fixture.ts';
import { type CacheBudget, type CachePorts, examineCache } from './examine-cache.ts';

/** The cache of the reference gateway, in virtual time. */
export const serveMockCache = (settings: Parameters<typeof openPrefixCache>[0]): CachePorts => {
  let now = 1000;
  const uncached = openPrefixCache(settings, { now: () => now });
  return {
    now: () => now,
    sleep: (length) => {
      now += length;
      return Promise.resolve();
    },
    ask: (prompt) => {
      const tokens = countTokens(prompt);
      const cached = tokens - uncached({ model: 'm', prompt: [prompt], promptTokens: tokens });
      now += 20;
      return Promise.resolve({ took: 20, tokens, cached });
    },
    isStopped: () => false,
  };
};

export const usualBudget: CacheBudget = { tokens: 200_000, longest: 120_000 };
export const examine = (server: CachingServer, given = usualBudget) =>
  examineCache(serveCache(server).ports, given);
