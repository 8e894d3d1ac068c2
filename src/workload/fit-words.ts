import type { TokenCounter } from '../model/tokenizer.ts';
import type { Found } from '../model/workload.ts';

/** Words of which texts with an exact number of tokens are made. */
export interface FittedWords {
  /** Separated by white space. */
  readonly words: string;
  /** Whether a message begins with a space: SentencePiece puts one there itself. */
  readonly opens: boolean;
}

/** Fewer words make prompts that are too much alike. */
const fewest = 100;

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
export const fitWords = (
  list: string,
  name: string,
  { count }: TokenCounter,
): Found<FittedWords> => {
  const all = wordsOf(list);
  let most = 0;
  for (const opening of [' ', '']) {
    const words = all.filter((word) => count(opening + word) === 1);
    most = Math.max(most, words.length);
    if (words.length >= fewest && isExact(words, opening, count)) {
      return { ok: true, value: { words: words.join('\n'), opens: opening === ' ' } };
    }
  }
  return {
    ok: false,
    problem: `${name}: no prompts of exact length can be made for this tokenizer: ${most} of ${all.length} words are one token of it, and at least ${fewest} must be, alone and in a text. Leave "tokenizer" out, and "calibration" can make up for the difference`,
  };
};
