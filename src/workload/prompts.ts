import { drawFrom, type Draw } from '../model/draw.ts';
import { tokensFrom } from '../model/distribution.ts';
import type { PromptSourceOf } from '../model/prompt-source.ts';
import type { Trace } from '../model/trace.ts';
import type { Vocabulary } from './words.ts';

/** Texts with an exact number of tokens. What requests share is keyed by the plan's seed alone, so that all stages and slices agree. */

/** Set the texts that requests share apart from each other, and from the contents of stages, whose numbers are small. */
const sharedTexts = { prefix: -1, common: -2, block: -3 };

/** Tokens in a block of a Mooncake trace; the last one of a prompt may be shorter. */
const blockTokens = 512;

const sharedText = (
  vocabulary: Vocabulary,
  tokens: number,
  ...key: readonly [seed: number, what: keyof typeof sharedTexts, which: number]
): string => {
  const [seed, what, which] = key;
  return vocabulary.text(tokens, drawFrom(seed, sharedTexts[what], which));
};

/** A prompt of exactly the tokens that its source draws. */
export const syntheticPrompt = (
  { tokens, prefix, cache }: PromptSourceOf<'synthetic'>,
  { vocabulary, seed, draw }: { vocabulary: Vocabulary; seed: number; draw: Draw },
): string => {
  const length = tokensFrom(tokens, draw);
  const common = Math.min(length, prefix?.tokens ?? 0);
  const which = prefix === null ? 0 : Math.floor(draw.uniform() * prefix.pool);
  const beginning = sharedText(vocabulary, common, seed, 'prefix', which);
  const rest = length - common;
  return cache === 'invite'
    ? beginning + sharedText(vocabulary, rest, seed, 'common', 0)
    : beginning + vocabulary.text(rest, draw);
};

/** A prompt as long as a request of a trace; equal blocks at its beginning are equal text. */
export const tracedPrompt = (
  trace: Trace,
  index: number,
  { vocabulary, seed, draw }: { vocabulary: Vocabulary; seed: number; draw: Draw },
): string => {
  let left = trace.inputTokens(index);
  let prompt = '';
  for (const block of trace.blocksOf(index)) {
    const tokens = Math.min(left, blockTokens);
    prompt += sharedText(vocabulary, tokens, seed, 'block', block);
    left -= tokens;
  }
  return prompt + vocabulary.text(left, draw);
};
