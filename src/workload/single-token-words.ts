import type { TokenCounter } from '../model/workload/tokenizer.ts';
import type { ReadResult } from '../model/workload/workload.ts';

/** The words from which texts with an exact number of tokens are generated. */
export interface SingleTokenWords {
  /** Separated by white space. */
  readonly words: string;
  /** Whether a message keeps its first space. SentencePiece adds one itself. */
  readonly keepsLeadingSpace: boolean;
}

/** The minimum number of words: with fewer, prompts are too similar. */
const minWords = 100;

const wordsOf = (list: string): readonly string[] =>
  list.split(/\s+/).filter((word) => word !== '');

/** Decides whether texts of these words, in several orders, have as many tokens as words. */
const isExact = (words: readonly string[], opening: string, count: TokenCounter['count']) =>
  [words, words.toReversed(), words.slice(0, 2), words.slice(-3)].every(
    (some) => count(opening + some.join(' ')) === some.length,
  );

/** Selects the words that are one token each, alone and in a text. Returns a problem if there are too few. */
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
