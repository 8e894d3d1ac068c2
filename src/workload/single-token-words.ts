import type { Draw } from '../model/workload/draw.ts';
import type { TokenCounter } from '../model/workload/tokenizer.ts';
import type { ReadResult } from '../model/workload/workload.ts';

export interface SingleTokenWords {
  /** The words, separated by white space. */
  readonly words: string;
  /**
   * Whether a message keeps the space at its beginning. It does not if the tokenizer is SentencePiece, because
   * SentencePiece adds this space itself.
   */
  readonly keepsLeadingSpace: boolean;
}

/** With fewer words, prompts would be too similar. */
const minWords = 100;

/**
 * Unpacks a list of words. Each word is one token together with the space before it. A line has the words with the same
 * first letter. A word is written as the number of letters that it shares with the previous word, followed by its other
 * letters: `0able1corn` means able and acorn. The packed list takes half the space in the package.
 */
export const unpackWords = (packed: string): string =>
  packed.replaceAll(/.+/g, (line) => {
    let word = '';
    const words = Array.from(line.matchAll(/(\d)([a-z]*)/g), ([, shared, rest]) => {
      word = word.slice(0, Number(shared)) + rest;
      return word;
    });
    return words.join(' ');
  });

const wordsOf = (list: string): readonly string[] =>
  list.split(/\s+/).filter((word) => word !== '');

/** Returns whether texts of these words, in several orders, have exactly as many tokens as words. */
const isExact = (words: readonly string[], opening: string, count: TokenCounter['count']) =>
  [words, words.toReversed(), words.slice(0, 2), words.slice(-3)].every(
    (some) => count(opening + some.join(' ')) === some.length,
  );

/**
 * Selects the words that are one token each, both alone and within a text. Returns a problem if too few words are left.
 */
export const selectSingleTokenWords = (
  list: string,
  name: string,
  { count }: TokenCounter,
): ReadResult<SingleTokenWords> => {
  const all = wordsOf(list);
  let most = 0;
  for (const opening of [' ', '']) {
    const words = all.filter((word) => count(opening + word) === 1);
    most = Math.max(most, words.length);
    if (words.length >= minWords && isExact(words, opening, count)) {
      return { ok: true, value: { words: words.join('\n'), keepsLeadingSpace: opening === ' ' } };
    }
  }
  return {
    ok: false,
    problem: `${name}: Weir cannot generate prompts of exact length for this tokenizer: ${most} of ${all.length} words are one token, alone and in a text; at least ${minWords} are needed. Leave "tokenizer" out and correct the length with "calibration"`,
  };
};

/** Generates texts of words. Each word, together with the space before it, is one token, so n words are n tokens. */
export interface Vocabulary {
  /** Generates a text with exactly `tokens` tokens. The words are drawn uniformly. */
  text(tokens: number, draw: Draw): string;
  /** Returns a text as a message, without its first space if the tokenizer adds one at the beginning. */
  message(text: string): string;
}

/** The maximum size of a word with its space, in bytes. A word is stored as two numbers of four bytes each. */
const maxWordBytes = 8;

/** Words as little-endian numbers. The unused bytes of a number are 0. */
interface Packed {
  readonly count: number;
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly lengths: Uint8Array;
}

const pack = (list: string): Packed => {
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

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/**
 * Creates a vocabulary that draws words by xoroshiro64** (Blackman and Vigna 2018). `draw` gives the initial state of
 * the generator. Words are written as numbers, because joining strings would take twice as long.
 */
export const vocabularyOf = ({ words, keepsLeadingSpace }: SingleTokenWords): Vocabulary => {
  const { count, lows, highs, lengths } = pack(words);
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
        const word = Math.floor((Math.imul(rotate(Math.imul(a, 0x9e3779bb), 5), 5) >>> 0) * share);
        b ^= a;
        a = rotate(a, 26) ^ b ^ (b << 9);
        b = rotate(b, 13);
        view.setUint32(end, lows[word]!, true);
        view.setUint32(end + 4, highs[word]!, true);
        end += lengths[word]!;
      }
      return output.toString('latin1', 0, end);
    },
  };
};
