import type { TokenCounter } from '../model/workload/tokenizer.ts';
import type { ReadResult } from '../model/workload/workload.ts';

/** Words of which texts with an exact number of tokens are made. */
export interface SingleTokenWords {
  /** Separated by white space. */
  readonly words: string;
  /** Whether a message begins with a space: SentencePiece puts one there itself. */
  readonly keepsLeadingSpace: boolean;
}

/** Fewer words make prompts that are too much alike. */
const minWords = 100;

const wordsOf = (list: string): readonly string[] =>
  list.split(/\s+/).filter((word) => word !== '');

/** Whether texts of many words have as many tokens, whatever follows what. */
const isExact = (words: readonly string[], opening: string, count: TokenCounter['count']) =>
  [words, words.toReversed(), words.slice(0, 2), words.slice(-3)].every(
    (some) => count(opening + some.join(' ')) === some.length,
  );

/**
 * The words of `list` that are one token each by a tokenizer, together too: counted here, once, so
 * that no tokenizer is needed when texts are made. A problem where it has no such words.
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
    problem: `${name}: no prompts of exact length can be made for this tokenizer: ${most} of ${all.length} words are one token of it, and at least ${minWords} must be, alone and in a text. Leave "tokenizer" out, and "calibration" can make up for the difference`,
  };
};
