import { expect, it } from 'vitest';
import { openPrefixCache } from './serving.ts';

const text = (seed: string, blocks: number): string => seed.repeat(256 * blocks);

it('recognises the beginning that a prompt shares with an earlier one, in whole blocks', () => {
  const uncached = openPrefixCache();
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
  const uncached = openPrefixCache();
  const job = { model: 'a', prompt: ['hello there'], promptTokens: 2 };
  expect([uncached(job), uncached(job)]).toEqual([2, 2]);
});
