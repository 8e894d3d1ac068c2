// @gate 1 s
import { readFileSync } from 'node:fs';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { drawTokenCount } from '../model/workload/token-count.ts';
import { drawFrom } from '../model/workload/draw.ts';
import { vocabularyOf, unpackWords } from './single-token-words.ts';

const packed = readFileSync(new URL('../../fixtures/prompts/words.txt', import.meta.url), 'utf8');
const list = unpackWords(packed);
const vocabulary = vocabularyOf({ words: list, keepsLeadingSpace: true });
const tokenizers = [
  ['o200k', encodeO200k],
  ['cl100k', encodeCl100k],
] as const;

it.each(tokenizers)(
  'the word list has only words that are one token of %s after a space',
  (_, encode) => {
    expect(
      list
        .trim()
        .split(/\s+/)
        .filter((word) => encode(` ${word}`).length !== 1),
    ).toEqual([]);
  },
);

it.each(tokenizers)(
  'synthetic texts have exactly the drawn tokens by %s: 1,000 of a lognormal mix',
  (_, encode) => {
    const mix = { kind: 'lognormal', median: 150, sigma: 1, min: 1, max: 20_000 } as const;
    const wrong = Array.from({ length: 1000 }, (__, index) => {
      const draw = drawFrom(1, 0, index);
      const tokens = drawTokenCount(mix, draw);
      return encode(vocabulary.text(tokens, draw)).length - tokens;
    }).filter((difference) => difference !== 0);
    expect(wrong).toEqual([]);
  },
);
