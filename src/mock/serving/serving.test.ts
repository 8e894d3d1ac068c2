import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { openPrefixCache } from './serving.ts';

/** A cache with these settings, on a clock that stands where `time.now` is. */
const openCache = (settings: Partial<Parameters<typeof openPrefixCache>[0]> = {}) => {
  const time = { now: 0 };
  const cache = { keeps: null, tokens: 6_400_000, ...settings };
  return { time, uncached: openPrefixCache(cache, { now: () => time.now }) };
};

const text = (seed: string, blocks: number): string => seed.repeat(256 * blocks);

it('recognises the beginning that a prompt shares with an earlier one, in whole blocks', () => {
  const { uncached } = openCache();
  const ask = (prompt: string, model = 'a') =>
    uncached({ model, prompt: [prompt], promptTokens: 400 });
  const shared = text('s', 3);
  expect(ask(shared + text('x', 1))).toBe(400);
  expect(ask(shared + text('y', 1))).toBe(100);
  expect(ask(shared + text('y', 1))).toBe(0);
  // The same text elsewhere than at the beginning is no prefix.
  expect(ask(text('z', 1) + shared)).toBe(400);
  expect(ask(shared + text('x', 1), 'b')).toBe(400);
});

it('does not cache a prompt that is shorter than a block', () => {
  const { uncached } = openCache();
  const job = { model: 'a', prompt: ['hello there'], promptTokens: 2 };
  expect([uncached(job), uncached(job)]).toEqual([2, 2]);
});

it('keeps a beginning for a time after its last use', () => {
  const { time, uncached } = openCache({ keeps: milliseconds(1000) });
  const ask = (now: number): number => {
    time.now = now;
    return uncached({ model: 'a', prompt: [text('s', 4)], promptTokens: 400 });
  };
  expect([0, 900, 1900, 2901, 3000].map(ask)).toEqual([400, 0, 0, 400, 0]);
});

it('keeps as many tokens as it has room for, those that were used last', () => {
  const { uncached } = openCache({ tokens: 64 * 8 });
  const ask = (name: string): number =>
    uncached({ model: 'a', prompt: [text(name, 4)], promptTokens: 400 });
  expect(['s', 't', 's', 't', 'u', 't', 'u', 's'].map(ask)).toEqual([
    400, 400, 0, 0, 400, 0, 0, 400,
  ]);
});
