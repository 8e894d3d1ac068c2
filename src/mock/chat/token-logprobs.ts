import { commonWords } from './common-words.ts';

/** The log probability of each word: answers draw words evenly. */
const wordLogprob = -Math.log(commonWords.length);
const wordTokens = commonWords.map((word) => ` ${word}`);

const bytesOf = (token: string): readonly number[] => [...Buffer.from(token)];

/**
 * The log probability of a token, as in the OpenAI API, with its `top` likeliest alternatives: of a drawn word any others, of anything
 * else, which could not have come otherwise, only itself.
 */
export const tokenLogprob = (token: string, top: number) => {
  const isWord = wordTokens.includes(token);
  const logprob = isWord ? wordLogprob : 0;
  const others = isWord ? wordTokens.filter((word) => word !== token).slice(0, top) : [];
  return {
    token,
    logprob,
    bytes: bytesOf(token),
    top_logprobs: [token, ...others]
      .slice(0, top)
      .map((alternative) => ({ token: alternative, logprob, bytes: bytesOf(alternative) })),
  };
};
