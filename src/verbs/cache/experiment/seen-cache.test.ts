import { expect, it } from 'vitest';
import { type CachingServer, serveCache } from './caching-server.fixture.ts';
import { examineCache } from './examine-cache.ts';

/** One examination of each kind; `examine-cache.test.ts` has many servers. */
const examine = (server: CachingServer, tokens = 200_000) =>
  examineCache(serveCache(server).ports, { tokens, longest: 120_000 });

it('a cache that answers report has an age, a room for other prompts and a shortest prompt', async () => {
  const { seenBy, isSteady, age, others, shortest, stopped, spent } = await examine({
    keeps: 30_000,
    size: 12_000,
    shortest: 300,
  });
  expect([seenBy, isSteady]).toEqual(['reported', true]);
  expect(age.kept).toBeLessThan(30_000);
  expect(age.lost).toBeGreaterThanOrEqual(30_000);
  expect(age.lost! / age.kept!).toBeLessThan(1.1);
  expect(others.kept).toBeLessThan(12_000);
  expect(others.lost).toBeGreaterThan(12_000 - 1116);
  expect(shortest.kept).toBeGreaterThanOrEqual(300);
  expect(shortest.lost).toBeLessThan(300);
  expect([stopped, spent.tokens <= 200_000]).toEqual([null, true]);
});

it('a cache that nobody reports is inferred from times, and without a trace of one nothing is', async () => {
  const timed = await examine({ reports: false, keeps: 20_000, share: 0.9, jitter: 4 });
  expect(timed.seenBy).toBe('timed');
  expect(timed.age.kept).toBeLessThan(20_000);
  expect(timed.age.lost).toBeGreaterThanOrEqual(20_000);
  const none = await examine({ reports: false, keeps: 0 });
  expect([none.seenBy, none.age]).toEqual([null, { kept: null, lost: null }]);
});

it('an examination ends with its budget, and says so', async () => {
  const { spent, stopped } = await examine({ keeps: 10_000 }, 5000);
  expect(spent.tokens).toBeLessThanOrEqual(5000);
  expect(stopped).toBe('the budget of tokens is spent');
});
