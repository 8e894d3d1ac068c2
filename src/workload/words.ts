import type { Draw } from '../model/draw.ts';

/**
 * Words that, with the space before them, are one token each (fixtures/prompts): n of them, each after
 * a space, are n tokens. The first space must stay, or the first word would be another token.
 */
export interface Vocabulary {
  /** A text of exactly `tokens` tokens, its words drawn evenly. */
  text(tokens: number, draw: Draw): string;
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/**
 * Draws the words by xoroshiro64** (Blackman and Vigna 2018), its 64-bit state from `draw`: a prompt
 * takes a number for every word, and a million must cost less than sending them.
 */
export const vocabularyOf = (list: string): Vocabulary => {
  const words = list.split(/\s+/).flatMap((word) => (word === '' ? [] : [` ${word}`]));
  const share = words.length / 0x1_0000_0000;
  return {
    text: (tokens, draw) => {
      let a = Math.floor(draw.uniform() * 0x1_0000_0000) | 0;
      let b = Math.floor(draw.uniform() * 0x1_0000_0000) | 1;
      let text = '';
      for (let n = 0; n < tokens; n += 1) {
        const drawn = Math.imul(rotated(Math.imul(a, 0x9e3779bb), 5), 5) >>> 0;
        b ^= a;
        a = rotated(a, 26) ^ b ^ (b << 9);
        b = rotated(b, 13);
        text += words[Math.floor(drawn * share)];
      }
      return text;
    },
  };
};
