import { readFileSync } from 'node:fs';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensFrom } from '../model/distribution.ts';
import { drawFrom } from '../model/draw.ts';
import { vocabularyOf } from './words.ts';

const list = readFileSync(new URL('../../fixtures/prompts/words.txt', import.meta.url), 'utf8');
const vocabulary = vocabularyOf({ words: list, opens: true });
const tokenizers = [
  ['o200k', encodeO200k],
  ['cl100k', encodeCl100k],
] as const;

describe('the list of words', () => {
  const words = list.trim().split(/\s+/);

  it('has ten thousand, each once', () => {
    expect(words.length).toBeGreaterThan(10_000);
    expect(new Set(words).size).toBe(words.length);
  });

  it.each(tokenizers)('holds only words that are one token of %s after a space', (_, encode) => {
    expect(words.filter((word) => encode(` ${word}`).length !== 1)).toEqual([]);
  });
});

describe('made-up texts', () => {
  it.each(tokenizers)(
    'have exactly the drawn tokens by %s: 1,000 of a lognormal mix',
    (_, encode) => {
      const mix = { kind: 'lognormal', median: 150, sigma: 1, min: 1, max: 20_000 } as const;
      const wrong = Array.from({ length: 1000 }, (__, index) => {
        const draw = drawFrom(1, 0, index);
        const tokens = tokensFrom(mix, draw);
        return encode(vocabulary.text(tokens, draw)).length - tokens;
      }).filter((difference) => difference !== 0);
      expect(wrong).toEqual([]);
    },
  );

  it('are the same for the same draw, one being the beginning of a longer one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.nat(300), (seed, few, more) => {
        const short = vocabulary.text(few, drawFrom(seed));
        expect(vocabulary.text(few + more, drawFrom(seed)).startsWith(short)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('draw every word about evenly, by the chi-squared test', () => {
    const few = vocabularyOf({ words: 'one two three four five six seven', opens: true });
    const counts = new Map<string, number>();
    for (const word of few.text(70_000, drawFrom(3)).trim().split(' ')) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const statistic = [...counts.values()].reduce((sum, n) => sum + (n - 1e4) ** 2 / 1e4, 0);
    expect(counts.size).toBe(7);
    // Six degrees of freedom: chance exceeds this once in a thousand times.
    expect(statistic).toBeLessThan(22.46);
  });
});
