import type { Draw } from '../model/workload/draw.ts';
import type { SingleTokenWords } from './single-token-words.ts';

/**
 * Words that, with the space before them, are one token each (fixtures/prompts): n of them, each after
 * a space, are n tokens. The first space must stay, or the first word would be another token.
 */
export interface Vocabulary {
  /** A text of exactly `tokens` tokens, its words drawn evenly. */
  text(tokens: number, draw: Draw): string;
  /** A whole message of such texts: without its first space where the tokenizer puts one there itself. */
  message(text: string): string;
}

/** A word and its space have at most so many bytes: each is written as two numbers of four. */
const maxWordBytes = 8;

/** Words as numbers, little-endian, what follows the word left 0. */
interface Packed {
  readonly count: number;
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly lengths: Uint8Array;
}

const packed = (list: string): Packed => {
  const words = list.split(/\s+/).flatMap((word) => (word === '' ? [] : [Buffer.from(` ${word}`)]));
  if (words.some(({ length }) => length > maxWordBytes)) {
    throw new Error(`a word of the vocabulary has more than ${maxWordBytes - 1} letters`);
  }
  const whole = words.map((word) => Buffer.concat([word], maxWordBytes));
  return {
    count: words.length,
    lows: Uint32Array.from(whole, (bytes) => bytes.readUInt32LE(0)),
    highs: Uint32Array.from(whole, (bytes) => bytes.readUInt32LE(4)),
    lengths: Uint8Array.from(words, ({ length }) => length),
  };
};

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/**
 * Draws the words by xoroshiro64** (Blackman and Vigna 2018), its 64-bit state from `draw`, and writes
 * them as numbers: a million must cost less than sending them, and joining strings costs twice that.
 */
export const vocabularyOf = ({ words, keepsLeadingSpace }: SingleTokenWords): Vocabulary => {
  const { count, lows, highs, lengths } = packed(words);
  const share = count / 0x1_0000_0000;
  let output = Buffer.allocUnsafe(0);
  return {
    message: (text) => (keepsLeadingSpace ? text : text.slice(1)),
    text: (tokens, draw) => {
      if (output.length < tokens * maxWordBytes) output = Buffer.allocUnsafe(tokens * maxWordBytes);
      const view = new DataView(output.buffer, output.byteOffset, output.length);
      let a = Math.floor(draw.uniform() * 0x1_0000_0000) | 0;
      let b = Math.floor(draw.uniform() * 0x1_0000_0000) | 1;
      let end = 0;
      for (let n = 0; n < tokens; n += 1) {
        const word = Math.floor((Math.imul(rotated(Math.imul(a, 0x9e3779bb), 5), 5) >>> 0) * share);
        b ^= a;
        a = rotated(a, 26) ^ b ^ (b << 9);
        b = rotated(b, 13);
        view.setUint32(end, lows[word]!, true);
        view.setUint32(end + 4, highs[word]!, true);
        end += lengths[word]!;
      }
      return output.toString('latin1', 0, end);
    },
  };
};
