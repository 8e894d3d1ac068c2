import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/draw.ts';
import { complete, type Wish } from './completion.ts';
import { countTokens } from './token-count.ts';
import { words } from './words.ts';

const wish = (asked: Partial<Wish> = {}): Wish => ({
  maxTokens: null,
  length: { min: 3, max: 5 },
  stops: [],
  ...asked,
});

describe('the word list', () => {
  it('has 256 different words of lower-case letters', () => {
    expect(new Set(words).size).toBe(256);
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });
});

describe('a completion', () => {
  it('has exactly max_tokens tokens, by the mock’s own count too', () => {
    for (const maxTokens of [1, 2, 7, 500]) {
      const { tokens, finish } = complete(drawFrom(1), wish({ maxTokens }));
      expect(tokens).toHaveLength(maxTokens);
      expect(countTokens(tokens.join(''))).toBe(maxTokens);
      expect(finish).toBe('length');
    }
  });

  it('without max_tokens has every length of its range and ends by itself', () => {
    const drawn = Array.from({ length: 60 }, (_, n) => complete(drawFrom(n), wish()));
    expect(new Set(drawn.map(({ tokens }) => tokens.length))).toEqual(new Set([3, 4, 5]));
    expect(new Set(drawn.map(({ finish }) => finish))).toEqual(new Set(['stop']));
  });

  it('is a function of its draw', () => {
    const text = (...key: number[]) =>
      complete(drawFrom(...key), wish({ maxTokens: 12 })).tokens.join('');
    expect(text(1, 2)).toBe(text(1, 2));
    expect(text(1, 2)).not.toBe(text(1, 3));
    expect(text(1, 2)).toMatchInlineSnapshot(
      `" read listen several person put two person warm cross run has water"`,
    );
  });

  it('ends before the first stop sequence, even inside a word or across two', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(100), fc.integer({ min: 1, max: 8 }), (seed, start, size) => {
        const text = complete(drawFrom(seed), wish({ maxTokens: 30 })).tokens.join('');
        const stop = text.slice(start, start + size);
        fc.pre(stop !== '');
        const others = ['never to be found', text.slice(-3)];
        const cut = complete(drawFrom(seed), wish({ maxTokens: 30, stops: [...others, stop] }));
        expect(cut.tokens.join('')).toBe(
          text.slice(0, Math.min(text.indexOf(stop), text.indexOf(text.slice(-3)))),
        );
        expect(cut.tokens).not.toContain('');
        expect(cut.finish).toBe('stop');
      }),
    );
  });

  it('is not touched by stop sequences that do not occur', () => {
    const asked = wish({ maxTokens: 5, stops: ['\n\n', 'END'] });
    expect(complete(drawFrom(4), asked)).toEqual(complete(drawFrom(4), wish({ maxTokens: 5 })));
  });
});
