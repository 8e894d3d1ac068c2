import type { UserIteration } from '../model/plan/user-iteration.ts';
import { drawFrom, type Draw } from '../model/workload/draw.ts';
import { drawTokenCount } from '../model/workload/token-count.ts';
import type { PromptSourceOf } from '../model/workload/prompt-source.ts';
import type { Trace } from '../model/workload/trace.ts';
import type { Message } from '../model/workload/message.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * This file generates texts with an exact number of tokens. Shared texts depend only on the plan's seed, so all stages
 * and slices agree.
 */

/**
 * The numbers that separate the draws of shared texts from each other and from those of stages, whose numbers are small
 * and positive.
 */
const sharedTextKeys = { prefix: -1, common: -2, block: -3, turn: -4 };

const sharedDraw = (seed: number, what: keyof typeof sharedTextKeys, which: number): Draw =>
  drawFrom(seed, sharedTextKeys[what], which);

/** Returns how many tokens to generate so that the server counts `tokens`. */
const tokensToGenerate = (tokens: number, calibration = 1): number =>
  tokens === 0 ? 0 : Math.max(1, Math.round(tokens / calibration));

/** Generates a prompt of exactly the tokens that its source draws. */
export const syntheticPrompt = (
  { tokens, prefix, cache, calibration }: PromptSourceOf<'synthetic'>,
  { vocabulary, seed, draw }: { vocabulary: Vocabulary; seed: number; draw: Draw },
): string => {
  const length = tokensToGenerate(drawTokenCount(tokens, draw), calibration);
  const common = Math.min(length, tokensToGenerate(prefix?.tokens ?? 0, calibration));
  const which = prefix === null ? 0 : Math.floor(draw.uniform() * prefix.pool);
  const beginning = vocabulary.text(common, sharedDraw(seed, 'prefix', which));
  const endDraw = cache === 'invite' ? sharedDraw(seed, 'common', 0) : draw;
  return vocabulary.message(beginning + vocabulary.text(length - common, endDraw));
};

/**
 * Generates the messages of a conversation up to its user's current question. All requests of a conversation repeat the
 * same messages, since each message depends only on the conversation's number and the turn.
 */
export const syntheticConversation = (
  source: PromptSourceOf<'synthetic'>,
  { count, answer }: NonNullable<PromptSourceOf<'synthetic'>['turns']>,
  { user, users, iteration }: UserIteration,
  { vocabulary, seed, stage }: { vocabulary: Vocabulary; seed: number; stage: number },
): readonly Message[] => {
  const conversation = Math.floor(iteration / count) * users + user;
  const now = iteration % count;
  return Array.from({ length: now + 1 }, (_, turn): readonly Message[] => {
    const draw = drawFrom(seed, stage, sharedTextKeys.turn, conversation, turn);
    const prefix = turn === 0 ? source.prefix : null;
    const content = syntheticPrompt({ ...source, prefix }, { vocabulary, seed, draw });
    const question: Message = { role: 'user', content };
    if (turn === now) return [question];
    const length = tokensToGenerate(drawTokenCount(answer, draw), source.calibration);
    const text = vocabulary.message(vocabulary.text(length, draw));
    return [question, { role: 'assistant', content: text }];
  }).flat();
};

/** Generates a prompt as long as a request of a trace. Equal blocks at its beginning are equal text. */
export const tracedPrompt = (
  trace: Trace,
  index: number,
  { vocabulary, seed, draw }: { vocabulary: Vocabulary; seed: number; draw: Draw },
): string => {
  let left = trace.inputTokens(index);
  let prompt = '';
  for (const block of trace.blocksOf(index)) {
    const tokens = Math.min(left, trace.blockTokens);
    prompt += vocabulary.text(tokens, sharedDraw(seed, 'block', block));
    left -= tokens;
  }
  return prompt + vocabulary.text(left, draw);
};
