/**
 * This file judges how the reported tokens of a prompt grow with its text. Only the differences between prompts count,
 * so the tokens that all prompts have in common do not matter.
 */

/** A prompt that repeats a word `words` times, and its reported tokens. */
export interface RepeatedWord {
  readonly words: number;
  readonly tokens: number;
}

export interface TokenGrowth {
  readonly moreWords: number;
  readonly moreTokens: number;
}

/**
 * How a prompt's tokens grow with its words. Each word adds a whole number of tokens (`perWord`), or the vocabulary
 * joins words (`joined`). If no tokenizer counts in the observed way, `least` and `most` are the nearest possible
 * numbers.
 */
export type WordTokens =
  | { readonly perWord: number }
  | { readonly joined: TokenGrowth }
  | (TokenGrowth & { readonly least: number; readonly most: number });

/**
 * The most words that a vocabulary joins into one token. `joinedShare` is the largest ratio of tokens to words that
 * still means joining.
 */
const mostJoined = 16;
const joinedShare = 7 / 8;

/**
 * Returns whether a vocabulary that joins words (SuperBPE) may have these growths. Such a vocabulary yields fewer
 * tokens than words. The ratio of tokens to words is the same at all lengths, except for the last words.
 */
const mayJoin = (growths: readonly TokenGrowth[]): boolean => {
  const words = growths.reduce((sum, { moreWords }) => sum + moreWords, 0);
  const tokens = growths.reduce((sum, { moreTokens }) => sum + moreTokens, 0);
  const share = tokens / words;
  return (
    share >= 1 / mostJoined &&
    share <= joinedShare &&
    growths.every(
      ({ moreWords, moreTokens }) => Math.abs(moreTokens - share * moreWords) <= mostJoined / 2,
    )
  );
};

/**
 * Finds the tokens of a repeated word. If a tokenizer joins no words, each repetition of the word is the same whole
 * number of tokens. So n more words add k · n tokens, with the same k at all lengths.
 */
export const tokensOfWord = (prompts: readonly RepeatedWord[]): WordTokens => {
  const sorted = prompts.toSorted((a, b) => a.words - b.words);
  const growths = sorted.slice(1).map((each, index) => ({
    moreWords: each.words - sorted[index]!.words,
    moreTokens: each.tokens - sorted[index]!.tokens,
  }));
  const isWhole = ({ moreWords, moreTokens }: TokenGrowth): boolean =>
    moreTokens > 0 && moreTokens % moreWords === 0;
  const whole = growths.filter(isWhole).map((each) => each.moreTokens / each.moreWords);
  const usual = whole.length === 0 ? null : Math.min(...whole);
  const odd = growths.find((each) => usual === null || each.moreTokens !== usual * each.moreWords);
  if (odd === undefined) return { perWord: usual ?? 1 };
  if (mayJoin(growths)) return { joined: odd };
  const { moreWords, moreTokens } = odd;
  const below = usual ?? Math.max(1, Math.floor(moreTokens / moreWords));
  return {
    moreWords,
    moreTokens,
    least: below * moreWords,
    most: (usual ?? (moreTokens < moreWords ? 1 : below + 1)) * moreWords,
  };
};

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/**
 * Describes a conspicuous pattern in the token counts of prompts of different lengths; an empty text without a pattern.
 */
export const patternIn = (prompts: readonly RepeatedWord[]): string => {
  const divisor = prompts.reduce((found, { tokens }) => greatestDivisor(found, tokens), 0);
  if (prompts.length > 2 && divisor >= 5) return `; every count is a multiple of ${divisor}`;
  const same = prompts.find(({ words, tokens }) =>
    prompts.some((other) => other.tokens === tokens && other.words !== words),
  );
  return same === undefined
    ? ''
    : `; prompts of different lengths have the same count, ${same.tokens}, as if it were of another request, or long prompts were cut`;
};
