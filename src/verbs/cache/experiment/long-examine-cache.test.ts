// @gate 1 s
import { expect, it } from 'vitest';
import { milliseconds } from '../../../model/quantity.ts';
import { examineCache } from './examine-cache.ts';
import { examine, serveMockCache, usualBudget } from './examined-cache.fixture.ts';

const seeds = Array.from({ length: 16 }, (_, at) => 100_003 * (at + 1));

it.each([5000, 17_000])('finds that prompts are kept for %d ms', async (keeps) => {
  const { age, seenBy, isSteady } = await examine({ keeps });
  expect(seenBy).toBe('reported');
  expect(isSteady).toBe(true);
  expect(age.kept).toBeLessThan(keeps);
  expect(age.lost).toBeGreaterThanOrEqual(keeps);
  expect(age.lost! / age.kept!).toBeLessThan(1.1);
});

it.each([
  [5000, 200],
  [5000, 1500],
  [20_000, 4000],
])(
  '%d ms lie between the bounds if answers take %d ms, whenever the time begins',
  async (keeps, slow) => {
    for (const countsFromAnswer of [false, true]) {
      const { age } = await examine({ keeps, slow, countsFromAnswer });
      if (keeps > 4 * slow) expect(age.kept).not.toBeNull();
      expect(age.kept ?? 0).toBeLessThanOrEqual(keeps);
      expect(age.lost).toBeGreaterThanOrEqual(keeps);
      if (slow < 1000) expect(age.lost! - age.kept!).toBeLessThan(0.1 * keeps + 2 * slow);
    }
  },
);

it('takes a prompt that other slow prompts outlasted for old, not for displaced', async () => {
  const { age, others } = await examine({ keeps: 20_000, slow: 4000 });
  expect(age.kept).toBeGreaterThan(8000);
  expect(others).toMatchObject({ lost: null });
  // As slow, but with room for three prompts only.
  const small = await examine({ keeps: 1e9, slow: 4000, size: 3500 });
  expect(small.others.lost).not.toBeNull();
});

it('says at least how long where nothing was lost', async () => {
  const { age } = await examine({ keeps: 1e9 });
  expect(age.kept).toBeGreaterThan(119_000);
  expect(age.lost).toBe(null);
});

it.each([40_000])('finds that %d tokens of prompts are kept', async (size) => {
  const { others, age } = await examine({ keeps: 30_000, size });
  // The prompt itself is among the tokens that are kept.
  expect(others.kept ?? 0).toBeLessThan(size);
  expect(others.lost).toBeGreaterThan(size - 1100 - 16);
  // A small cache is examined with one prompt at a time.
  expect(age.kept).toBeLessThan(30_000);
  expect(age.lost ?? 1e9).toBeGreaterThanOrEqual(30_000);
});

it.each([100, 300])('finds that prompts of %d tokens are the shortest', async (least) => {
  const { shortest } = await examine({ keeps: 60_000, shortest: least });
  expect(shortest.kept).toBeGreaterThanOrEqual(least);
  expect(shortest.lost ?? 0).toBeLessThan(least);
});

it.each([2, 3])('does not take a prompt on one of %d replicas for lost', async (replicas) => {
  for (const seed of seeds) {
    const { age, others, shortest } = await examine({ keeps: 1e9, replicas, seed });
    expect([age.lost, others.lost, shortest.lost]).toEqual([null, null, null]);
  }
});

it('does not take a prompt for lost where one in three misses', async () => {
  for (const seed of seeds) {
    const { age, others, shortest } = await examine({ keeps: 1e9, misses: 1 / 3, seed });
    expect([age.lost, others.lost, shortest.lost]).toEqual([null, null, null]);
  }
});

it('does not take a prompt for lost whose answer says nothing', async () => {
  for (const seed of seeds) {
    const { age, others, shortest } = await examine({ keeps: 1e9, reporting: 0.5, seed });
    expect([age.lost, others.lost, shortest.lost]).toEqual([null, null, null]);
  }
});

it('infers from times what nobody reports, with an interval that has the truth', async () => {
  const missed: number[] = [];
  for (const share of [0.3, 0.6, 0.9, 1]) {
    const { seenBy, inferredShare, age } = await examine({
      reports: false,
      keeps: 20_000,
      share,
      jitter: 4,
    });
    expect(seenBy).toBe('timed');
    expect(age.kept ?? 0).toBeLessThan(20_000);
    if (inferredShare!.low > share || inferredShare!.high < share - 0.03) missed.push(share);
  }
  expect(missed).toEqual([]);
});

it.each([20_000, 60_000])(
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

it.each([12_000, 30_000])(
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
