import type { CacheReply } from '../judge/cache-hits.ts';
import type { CachePorts } from './examine-cache.ts';

/** Test support: a server whose way of caching prompts is set by the test. */

export interface CachingServer {
  readonly reports?: boolean;
  /**
   * The time in ms for which a prompt is kept, the most tokens of prompts that are kept, and the shortest prompt that
   * is.
   */
  readonly keeps: number;
  readonly size?: number;
  readonly shortest?: number;
  /** The share of a prompt that is cached. */
  readonly share?: number;
  readonly perToken?: number;
  readonly jitter?: number;
  readonly perWord?: number;
  /** Whether a hit starts the prompt's time anew. */
  readonly renews?: boolean;
  /**
   * The number of caches, of which each request meets one at random, and the chance that an answer reports cached
   * tokens.
   */
  readonly replicas?: number;
  readonly reporting?: number;
  readonly seed?: number;
  /** The chance that a kept prompt is computed anew. */
  readonly misses?: number;
  /** The ms that are added to each answer, and whether a prompt's time begins when its answer begins. */
  readonly slow?: number;
  readonly countsFromAnswer?: boolean;
}

/** A server in virtual time whose cache keeps the beginnings of the latest prompts. */
export const serveCache = ({
  reports = true,
  keeps,
  size = 1e9,
  shortest = 1,
  share = 1,
  perToken = 0.1,
  jitter = 0,
  perWord = 1,
  renews = true,
  replicas = 1,
  reporting = 1,
  seed: first = 7,
  misses = 0,
  slow = 0,
  countsFromAnswer = false,
}: CachingServer) => {
  let [now, seed, requests] = [1000, first, 0];
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const caches: { readonly text: string; readonly tokens: number; readonly until: number }[][] =
    Array.from({ length: replicas }, () => []);
  const ask = (prompt: string): Promise<CacheReply> => {
    requests += 1;
    const text = prompt.slice(0, prompt.indexOf(' That was'));
    const replica = replicas === 1 ? 0 : Math.floor(random() * replicas);
    let kept = caches[replica]!;
    const tokens = prompt.split(' ').length * perWord;
    const isMissed = misses > 0 && random() < misses;
    const found = isMissed
      ? undefined
      : kept.find((each) => each.text === text && now < each.until);
    const whole = tokens >= shortest && found !== undefined ? text.split(' ').length * perWord : 0;
    const cached = Math.floor((whole * share) / 16) * 16;
    const took = slow + 20 + (tokens - cached) * perToken + jitter * (random() + random() - 1);
    const from = countsFromAnswer ? now + took : now;
    kept = kept.filter((each) => each.text !== text && now < each.until);
    kept.push({
      text,
      tokens,
      until: found === undefined || renews ? from + keeps : found.until,
    });
    while (kept.reduce((sum, each) => sum + each.tokens, 0) > size) kept.shift();
    caches[replica] = kept;
    now += took;
    const isReporting = reports && (reporting === 1 || random() < reporting);
    return Promise.resolve({ took, tokens, cached: isReporting ? cached : null });
  };
  const ports: CachePorts = {
    now: () => now,
    sleep: (length) => {
      now += length;
      return Promise.resolve();
    },
    ask,
    isStopped: () => false,
  };
  return { ports, requests: () => requests, time: () => now };
};
