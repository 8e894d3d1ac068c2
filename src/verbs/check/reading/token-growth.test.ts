import { expect, it } from 'vitest';
import { patternIn, tokensOfWord } from './token-growth.ts';

const prompts = (...counts: readonly (readonly [words: number, tokens: number])[]) =>
  counts.map(([words, tokens]) => ({ words, tokens }));

it.each([
  ['one token each', prompts([40, 52], [141, 153], [1292, 1304]), { perWord: 1 }],
  ['five tokens each, in any order', prompts([141, 717], [40, 212]), { perWord: 5 }],
  [
    '4 % more',
    prompts([40, 42], [141, 147]),
    { moreWords: 101, moreTokens: 105, least: 101, most: 202 },
  ],
  [
    'fewer tokens than words, as where words are joined',
    prompts([40, 42], [141, 100]),
    { joined: { moreWords: 101, moreTokens: 58 } },
  ],
  [
    'fewer tokens than words, of changing shares',
    prompts([40, 42], [141, 100], [1292, 1100]),
    { moreWords: 101, moreTokens: 58, least: 101, most: 101 },
  ],
  [
    'too few tokens for words that are joined',
    prompts([40, 42], [141, 43]),
    { moreWords: 101, moreTokens: 1, least: 101, most: 101 },
  ],
  [
    'a constant count',
    prompts([40, 500], [141, 500]),
    { moreWords: 101, moreTokens: 0, least: 101, most: 101 },
  ],
  [
    'more in long prompts only',
    prompts([40, 52], [141, 153], [1292, 1356]),
    { moreWords: 1151, moreTokens: 1203, least: 1151, most: 1151 },
  ],
])('a prompt that grows by %s is read', (_, counts, found) => {
  expect(tokensOfWord(counts)).toEqual(found);
});

it('every factor from 1.001 to 1.999 is found, however its product is rounded', () => {
  const missed: number[] = [];
  for (let factor = 1.001; factor < 1.9991; factor += 0.0005)
    for (const round of [Math.floor, Math.round, Math.ceil])
      if (
        'perWord' in
        tokensOfWord(
          [40, 141, 1292].map((words) => ({ words, tokens: round((words + 12) * factor) })),
        )
      )
        missed.push(factor);
  expect(missed).toEqual([]);
});

it('names a rounding and a repeated count', () => {
  expect(patternIn(prompts([40, 60], [141, 160], [1292, 1310]))).toBe(
    '; every count is a multiple of 10',
  );
  expect(patternIn(prompts([40, 57], [141, 57], [1292, 1309]))).toContain('the same count, 57');
  expect(patternIn(prompts([40, 57], [141, 158], [1292, 1309]))).toBe('');
});
