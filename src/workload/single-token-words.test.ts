import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/workload/draw.ts';
import { selectSingleTokenWords, unpackWords, vocabularyOf } from './single-token-words.ts';

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

  it('have the words that they always had, without a first space if the tokenizer adds one', () => {
    const text = vocabulary.text(12, drawFrom(7));
    expect(text).toMatchInlineSnapshot(
      `" axe ga extingu tailor belts educ rode init mant shuttle glyph caramel"`,
    );
    expect(vocabulary.message(text)).toBe(text);
    const added = vocabularyOf({ words: list, keepsLeadingSpace: false });
    expect(added.message(text)).toBe(text.slice(1));
  });

  it('are not made of words that do not fit into their numbers', () => {
    const of = (words: string) => vocabularyOf({ words, keepsLeadingSpace: true });
    expect(of('letters').text(2, drawFrom(1))).toBe(' letters letters');
    expect(() => of('one lettered')).toThrow('has more than 7 letters');
  });
});

describe('the words of a tokenizer', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => `w${i}`);
  const tokensIn = (text: string) => text.split(' ').filter((word) => word !== '').length;
  const select = (words: readonly string[], count: (text: string) => number) =>
    selectSingleTokenWords(words.join(' '), 'a.json', { count, sha256: '' });
  const selected = (words: readonly string[], keepsLeadingSpace: boolean) => ({
    ok: true,
    value: { words: words.join('\n'), keepsLeadingSpace },
  });

  it('are those of one token with the space before them, or without it', () => {
    expect(
      select([...hundred, 'two-tokens'], (text) => tokensIn(text.replaceAll('-', ' '))),
    ).toEqual(selected(hundred, true));
    const countsSpace = (text: string) => tokensIn(text) + (text.startsWith(' ') ? 1 : 0);
    expect(select(hundred, countsSpace)).toEqual(selected(hundred, false));
  });

  it('are refused if they are too few, or more tokens in a text than alone', () => {
    expect(select(hundred.slice(1), tokensIn)).toMatchInlineSnapshot(`
      {
        "ok": false,
        "problem": "a.json: Weir cannot generate prompts of exact length for this tokenizer: 99 of 99 words are one token, alone and in a text; at least 100 are needed. Leave "tokenizer" out and correct the length with "calibration"",
      }
    `);
    const joined = (text: string) => tokensIn(text.replace('w98 w99', 'w9899'));
    expect(select(hundred, joined).ok).toBe(false);
  });
});
