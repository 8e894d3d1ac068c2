import { expect, it } from 'vitest';
import { milliseconds } from '../../../model/quantity.ts';
import { serveCache } from './caching-server.fixture.ts';
import { type CachePorts, examineCache, mostChats } from './examine-cache.ts';
import { examine, serveMockCache, usualBudget } from './examined-cache.fixture.ts';

it.each([60_000, 90_000])('finds that prompts are kept for %d ms', async (keeps) => {
  const { age, seenBy, isSteady } = await examine({ keeps });
  expect(seenBy).toBe('reported');
  expect(isSteady).toBe(true);
  expect(age.kept).toBeLessThan(keeps);
  expect(age.lost).toBeGreaterThanOrEqual(keeps);
  expect(age.lost! / age.kept!).toBeLessThan(1.1);
});

it.each([3000, 12_000])('finds that %d tokens of prompts are kept', async (size) => {
  const { others, age } = await examine({ keeps: 30_000, size });
  // The prompt itself is among the tokens that are kept.
  expect(others.kept ?? 0).toBeLessThan(size);
  expect(others.lost).toBeGreaterThan(size - 1100 - 16);
  // A small cache is examined with one prompt at a time.
  expect(age.kept).toBeLessThan(30_000);
  expect(age.lost ?? 1e9).toBeGreaterThanOrEqual(30_000);
});

it.each([1024])('finds that prompts of %d tokens are the shortest', async (least) => {
  const { shortest } = await examine({ keeps: 60_000, shortest: least });
  expect(shortest.kept).toBeGreaterThanOrEqual(least);
  expect(shortest.lost ?? 0).toBeLessThan(least);
});

it.each([
  ['times that do not depend on the length', { perToken: 0 }],
  ['times that spread more than a prompt costs', { jitter: 400 }],
  ['no cache', { keeps: 0 }],
])('cannot tell with %s', async (_, server) => {
  const { seenBy, age } = await examine({ reports: false, keeps: 20_000, ...server });
  expect(seenBy).toBe(null);
  expect(age).toEqual({ kept: null, lost: null });
});

it.each([1, 5])('never sends more than its budget, at %d tokens a word', async (perWord) => {
  for (const tokens of [500, 5000, 25_000, 60_000]) {
    const server = serveCache({ keeps: 10_000, perWord });
    const { spent, stopped } = await examineCache(server.ports, { tokens, longest: 30_000 });
    expect(spent.tokens).toBeLessThanOrEqual(tokens);
    expect(spent.requests).toBe(server.requests());
    expect(server.time()).toBeLessThan(3.2 * 30_000 + 30_000);
    if (tokens < 60_000) expect(stopped).toBe('the budget of tokens is spent');
  }
});

it('counts the wait for a key without room as a part of the age', async () => {
  const { ports } = serveCache({ keeps: 40_000 });
  // Each answer waits for half a minute first.
  const ask: CachePorts['ask'] = async (prompt) => {
    await ports.sleep(30_000);
    return ports.ask(prompt);
  };
  const { repetitions } = await examineCache({ ...ports, ask }, usualBudget);
  expect(repetitions).not.toEqual([]);
  for (const { age } of repetitions) expect(age).toBeGreaterThanOrEqual(30_000);
});

it.each([1500, 3000, 12_000, 40_000, 60_000, 1e9])(
  'never sends more chats than it says, where %d tokens are kept',
  async (size) => {
    const { spent } = await examine({ keeps: 1e9, size }, { tokens: 1e9, longest: 120_000 });
    expect(spent.requests).toBeLessThanOrEqual(mostChats);
  },
);

it.each([3000])(
  'finds that the reference gateway keeps a prompt for %d ms, as it was set to',
  async (length) => {
    const keeps = milliseconds(length);
    const { age, isSteady } = await examineCache(
      serveMockCache({ keeps, tokens: 1e6 }),
      usualBudget,
    );
    expect(isSteady).toBe(true);
    expect(age.kept).toBeLessThanOrEqual(length);
    expect(age.lost).toBeGreaterThan(length);
    expect(age.lost! / age.kept!).toBeLessThan(1.15);
  },
);

it.each([4000])(
  'finds that the reference gateway has room for %d tokens, as it was set to',
  async (tokens) => {
    const { others, promptTokens } = await examineCache(
      serveMockCache({ keeps: null, tokens }),
      usualBudget,
    );
    // A block stands for 64 tokens whatever its words are, so that the place of a prompt is its tokens within a third.
    expect((others.kept! + promptTokens!) / tokens).toBeLessThan(4 / 3);
    expect((others.lost! + promptTokens!) / tokens).toBeGreaterThan(3 / 4);
  },
);
