// @gate 1 s
import { describe, expect, it } from 'vitest';
import { type Draw, drawFrom } from '../../../model/workload/draw.ts';
import { campaignLimits, campaignWindows } from './campaign.fixture.ts';
import type { ForeignLimiter } from './foreign-limiter.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';

interface Traffic {
  readonly limit: number;
  readonly window: number;
  /** The gap before the next request, in ms. */
  readonly gap: (draw: Draw) => number;
  readonly requests: number;
  readonly seed: number;
}

/** What a limiter does with traffic: when each request was admitted, after its delay, and how many were refused. */
const outcomeOf = (
  { open }: ForeignLimiter,
  { limit, window, gap, requests, seed }: Traffic,
): { readonly admitted: readonly number[]; readonly refused: number } => {
  const draw = drawFrom(seed, 40);
  let now = Date.UTC(2026, 2, 1) + draw.uniform() * 1e6;
  const rule = open({ limit, window, start: now - (2 + 9 * draw.uniform()) * window, draw });
  const admitted: number[] = [];
  let refused = 0;
  for (let i = 0; i < requests; i += 1) {
    now += gap(draw);
    const decision = rule(now);
    if (decision.admitted) admitted.push(now + decision.delay);
    else refused += 1;
    decision.onAnswered?.(now + decision.delay + 5);
  }
  return { admitted: admitted.toSorted((a, b) => a - b), refused };
};

/** Whether more than (⌈T/W⌉ + 1)·L were admitted within some span T. */
const exceedsEnvelope = (admitted: readonly number[], limit: number, window: number): boolean => {
  for (let windows = 1; windows <= 4; windows += 1) {
    const most = (windows + 1) * limit;
    for (let last = most; last < admitted.length; last += 1)
      if (admitted[last]! - admitted[last - most]! <= windows * window) return true;
  }
  return false;
};

const settings = campaignWindows.flatMap((window) =>
  campaignLimits.map((limit) => ({ limit, window })),
);

/** The even rate, a sixtieth slower: servers count in whole seconds. */
const evenly =
  (limit: number, window: number) =>
  (draw: Draw): number =>
    (window / limit) * (1 + 1 / 60) + draw.uniform();

/** Bursts and pauses of all sizes, on average three times the limit. */
const wildly =
  (limit: number, window: number) =>
  (draw: Draw): number => {
    const kind = draw.uniform();
    if (kind < 0.9) return (draw.uniform() * window) / (9 * limit);
    return kind < 0.999 ? (draw.uniform() * 5 * window) / limit : draw.uniform() * 3 * window;
  };

/** Whether a limiter breaks a promise that every one keeps which allows `limit` requests a window. */
const breaksPromise = (limiter: ForeignLimiter, limit: number, window: number): boolean =>
  [1, 2].some((seed) => {
    const even = { limit, window, gap: evenly(limit, window), requests: 3 * limit, seed };
    const wild = { limit, window, gap: wildly(limit, window), requests: 20 * limit, seed };
    return (
      outcomeOf(limiter, even).refused > 0 ||
      exceedsEnvelope(outcomeOf(limiter, wild).admitted, limit, window)
    );
  });

/** How many are admitted at once, without a delay, after a long pause. */
const burstOf = (limiter: ForeignLimiter, limit: number, window: number): number => {
  const burst = { limit, window, gap: () => 0.001, requests: 3 * limit, seed: 3 };
  const { admitted } = outcomeOf(limiter, burst);
  return admitted.filter((at) => at - admitted[0]! < 100).length;
};

const offered = ({ offers }: ForeignLimiter) =>
  settings.filter((setting) => offers?.(setting) ?? true);

const named = (keeps: ForeignLimiter['keeps']) =>
  foreignLimiters
    .filter((limiter) => limiter.keeps === keeps)
    .map((limiter) => [limiter.name, limiter] as const);

describe('the limiters of others', () => {
  it('are more than 50, and no two have the same name', () => {
    expect(foreignLimiters.length).toBeGreaterThan(50);
    expect(new Set(foreignLimiters.map(({ name }) => name)).size).toBe(foreignLimiters.length);
  });

  it.each(named('yes'))(
    '%s: keeps its limit, and refuses no client that keeps the even rate',
    (_, limiter) => {
      const broken = offered(limiter).filter(({ limit, window }) =>
        breaksPromise(limiter, limit, window),
      );
      expect(broken).toStrictEqual([]);
    },
  );

  it.each(named('no').filter(([name]) => !name.includes('first limiter')))(
    '%s: breaks its promise',
    (_, limiter) => {
      const isBroken = offered(limiter).some(
        ({ limit, window }) =>
          breaksPromise(limiter, limit, window) || burstOf(limiter, limit, window) > limit + 1,
      );
      expect(isBroken).toBe(true);
    },
  );

  it('LiteLLM, its first limiter: admits everything that comes before the first answer', () => {
    const limiter = foreignLimiters.find(({ name }) => name === 'LiteLLM, its first limiter')!;
    const now = Date.UTC(2026, 2, 1);
    const setting = { limit: 60, window: 60_000, start: now - 1e6, draw: drawFrom(1) };
    const rule = limiter.open(setting);
    const burst = Array.from({ length: 200 }, () => rule(now + 1));
    expect(burst.every(({ admitted }) => admitted)).toBe(true);
    for (const { onAnswered } of burst) onAnswered?.(now + 20);
    expect(rule(now + 30).admitted).toBe(false);
  });

  it('LiteLLM, its third limiter in memory: admits three limits within a second', () => {
    const limiter = foreignLimiters.find(({ name }) => name === 'LiteLLM, limiter v3, in memory')!;
    const [limit, window] = [60, 60_000];
    const first = Date.UTC(2026, 2, 1) + 900;
    const rule = limiter.open({ limit, window, start: first - 1e6, draw: drawFrom(1) });
    // The rest of its window, one of whole seconds that begins early, and what the cache has then forgotten.
    const moments = [
      [first, 1],
      [first + window - 950, limit - 1],
      [first + window - 890, limit],
      [first + window + 1, limit],
    ] as const;
    const decisions = moments.flatMap(([at, count]) =>
      Array.from({ length: count }, () => rule(at)),
    );
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(3 * limit);
  });
});
