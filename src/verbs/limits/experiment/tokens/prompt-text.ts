/**
 * Common words of three letters. With a space in front, each word is one token in most tokenizers, and has four
 * characters.
 */
const words = (
  'act add age air all and any arm art ask bad bag bed big bit box boy bus but buy can car cut day dog dry ear eat ' +
  'end eye far few fit for fun get gun had hat her him his hot how ice job key law leg let low man map may men mix ' +
  'new not now off'
).split(' ');

export const charactersPerWord = 4;

export const textWriter = (seed: number): ((count: number) => string) => {
  let state = seed;
  const next = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[(state >>> 16) % words.length]!;
  };
  return (count) => Array.from({ length: count }, next).join(' ');
};

/** The number of tokens of a prompt: a constant, plus a number of tokens for each word. */
export interface TokensOfWords {
  readonly constant: number;
  readonly perWord: number;
}

interface Sample {
  readonly words: number;
  readonly tokens: number;
}

/**
 * Estimates the tokens of a prompt from its words, by the shortest and the longest answered prompt. If the longest
 * prompt has less than twice the words of the shortest, assumes one token per word.
 */
export const tokensOfWords = (samples: readonly Sample[]): TokensOfWords => {
  const sorted = samples.toSorted((a, b) => a.words - b.words);
  const [short, long] = [sorted[0], sorted.at(-1)];
  if (short === undefined || long === undefined) return { constant: 0, perWord: 1 };
  if (long.words < 2 * short.words) return { constant: short.tokens - short.words, perWord: 1 };
  const perWord = (long.tokens - short.tokens) / (long.words - short.words);
  return { constant: short.tokens - perWord * short.words, perWord };
};
