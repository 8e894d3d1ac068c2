import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/workload/draw.ts';
import { vocabularyOf, unpackWords } from './single-token-words.ts';

const packed = readFileSync(new URL('../../fixtures/prompts/words.txt', import.meta.url), 'utf8');
const list = unpackWords(packed);
const vocabulary = vocabularyOf({ words: list, keepsLeadingSpace: true });
describe('the word list', () => {
  const words = list.trim().split(/\s+/);

  it('has ten thousand different words', () => {
    expect(words.length).toBeGreaterThan(10_000);
    expect(new Set(words).size).toBe(words.length);
  });
});

describe('synthetic texts', () => {
  it('are the same for the same draw, and a shorter one begins a longer one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.nat(300), (seed, few, more) => {
        const short = vocabulary.text(few, drawFrom(seed));
        expect(vocabulary.text(few + more, drawFrom(seed)).startsWith(short)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('use every word about equally often, by the chi-squared test', () => {
    const few = vocabularyOf({
      words: 'one two three four five six seven',
      keepsLeadingSpace: true,
    });
    const counts = new Map<string, number>();
    for (const word of few.text(70_000, drawFrom(3)).trim().split(' ')) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const statistic = [...counts.values()].reduce((sum, n) => sum + (n - 1e4) ** 2 / 1e4, 0);
    expect(counts.size).toBe(7);
    // With six degrees of freedom, chance exceeds this once in a thousand times.
    expect(statistic).toBeLessThan(22.46);
  });
});
