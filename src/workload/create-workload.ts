import { type UserIteration, userIterationOf } from '../model/plan/user-iteration.ts';
import { type Draw, drawFrom } from '../model/workload/draw.ts';
import { drawTokenCount } from '../model/workload/token-count.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { PromptSource, PromptSourceOf } from '../model/workload/prompt-source.ts';
import type { Trace, TraceLoad } from '../model/workload/trace.ts';
import type { TokenizerFacts } from '../model/workload/tokenizer.ts';
import type { Message } from '../model/workload/message.ts';
import {
  type ChatContent,
  leastSharedCharacters,
  type SharedText,
  type Workload,
} from '../model/workload/workload.ts';
import type { Dataset } from './read-dataset.ts';
import { type SingleTokenWords, type Vocabulary, vocabularyOf } from './single-token-words.ts';

/** The keys of the random draws for shared texts. They are negative, so they differ from the key of every stage. */
const sharedTextKeys = { prefix: -1, common: -2, block: -3, turn: -4 };

/**
 * Returns the random source of a shared text. The text depends only on the plan's seed, so it is the same for all
 * stages and slices.
 */
const sharedDraw = (seed: number, what: keyof typeof sharedTextKeys, which: number): Draw =>
  drawFrom(seed, sharedTextKeys[what], which);

interface TextDraw {
  readonly vocabulary: Vocabulary;
  readonly seed: number;
  readonly draw: Draw;
}

/** Returns the number of tokens to generate so that the server counts `tokens` tokens. */
const tokensToGenerate = (tokens: number, calibration = 1): number =>
  tokens === 0 ? 0 : Math.max(1, Math.round(tokens / calibration));

/**
 * Generates a text, with the beginnings that other texts may share. The name of a beginning says which random source it
 * comes from.
 */
export const syntheticText = (
  { tokens, prefix, cache, calibration }: PromptSourceOf<'synthetic'>,
  { vocabulary, seed, draw }: TextDraw,
) => {
  const drawn = drawTokenCount(tokens, draw);
  const length = tokensToGenerate(drawn, calibration);
  const common = Math.min(length, tokensToGenerate(prefix?.tokens ?? 0, calibration));
  const which = prefix === null ? 0 : Math.floor(draw.uniform() * prefix.pool);
  const beginning = vocabulary.text(common, sharedDraw(seed, 'prefix', which));
  const endDraw = cache === 'invite' ? sharedDraw(seed, 'common', 0) : draw;
  const text = vocabulary.message(beginning + vocabulary.text(length - common, endDraw));
  const invited =
    cache === 'invite' ? [{ name: `common ${which} ${prefix?.tokens ?? 0}`, tokens: drawn }] : [];
  const beginnings =
    prefix === null
      ? invited
      : [{ name: `prefix ${which}`, tokens: Math.min(drawn, prefix.tokens) }, ...invited];
  return { text, tokens: drawn, beginnings };
};

/**
 * Generates a conversation up to its current question. Each message depends only on the number of the conversation and
 * the turn. Later requests of the conversation repeat all messages up to each question, so each question ends a shared
 * beginning.
 */
export const syntheticConversation = (
  source: PromptSourceOf<'synthetic'>,
  { count, answer }: NonNullable<PromptSourceOf<'synthetic'>['turns']>,
  { user, users, iteration }: UserIteration,
  { vocabulary, seed, stage }: { vocabulary: Vocabulary; seed: number; stage: number },
): { readonly messages: readonly Message[]; readonly shared: SharedText } => {
  const conversation = Math.floor(iteration / count) * users + user;
  const now = iteration % count;
  const beginnings: SharedText['beginnings'][number][] = [];
  let tokens = 0;
  const messages = Array.from({ length: now + 1 }, (_, turn): readonly Message[] => {
    const draw = drawFrom(seed, stage, sharedTextKeys.turn, conversation, turn);
    const prefix = turn === 0 ? source.prefix : null;
    const { text: content, ...made } = syntheticText(
      { ...source, prefix },
      { vocabulary, seed, draw },
    );
    if (turn === 0) beginnings.push(...made.beginnings);
    tokens += made.tokens;
    beginnings.push({ name: `conversation ${stage} ${conversation} ${turn}`, tokens });
    const question: Message = { role: 'user', content };
    if (turn === now) return [question];
    const drawn = drawTokenCount(answer, draw);
    tokens += drawn;
    const length = tokensToGenerate(drawn, source.calibration);
    const text = vocabulary.message(vocabulary.text(length, draw));
    return [question, { role: 'assistant', content: text }];
  });
  return { messages: messages.flat(), shared: { beginnings, isWhole: true, tokens } };
};

/**
 * Generates a prompt as long as a prompt in a trace. Prompts that begin with the same blocks begin with the same text.
 */
export const tracedPrompt = (
  trace: Trace,
  index: number,
  { vocabulary, seed, draw }: TextDraw,
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

export interface WorkloadSources {
  /** Returns the words for a tokenizer; without a tokenizer, the words for OpenAI's vocabularies. */
  readonly wordsFor: (tokenizer: TokenizerFacts | undefined) => SingleTokenWords;
  readonly datasetOf: (source: PromptSourceOf<'dataset'>) => Dataset;
  readonly traceOf: (load: TraceLoad) => Trace;
}

export const createWorkload = (
  { stages, seed }: Plan,
  { wordsFor, datasetOf, traceOf }: WorkloadSources,
): Workload => {
  const vocabularies = new Map<string | undefined, Vocabulary>();
  const vocabularyFor = (tokenizer?: TokenizerFacts): Vocabulary => {
    const known = vocabularies.get(tokenizer?.name);
    if (known !== undefined) return known;
    const vocabulary = vocabularyOf(wordsFor(tokenizer));
    vocabularies.set(tokenizer?.name, vocabulary);
    return vocabulary;
  };
  // Builds the vocabularies before the load, so that no request waits for them.
  for (const entry of stages.flatMap(({ traffic }) => traffic)) {
    if (!('conversations' in entry) || Array.isArray(entry.conversations)) continue;
    const { conversations: source } = entry;
    if (source.kind === 'synthetic') vocabularyFor(source.tokenizer);
    if (source.kind === 'trace') vocabularyFor();
  }
  const chatContentFor: Workload['chatContentFor'] = (
    source,
    { stage, index },
    draw,
  ): ChatContent => {
    switch (source.kind) {
      case 'synthetic': {
        const { turns, tokenizer } = source;
        const vocabulary = vocabularyFor(tokenizer);
        if (turns === null) return generatedPrompt(source, { vocabulary, seed, draw });
        const asking = userIterationOf(stages[stage]?.load, index);
        const by = { vocabulary, seed, stage: stages[stage]?.stream ?? stage };
        const { messages, shared } = syntheticConversation(source, turns, asking, by);
        return { messages: [...systemMessages(source), ...messages], maxTokens: null, shared };
      }
      case 'dataset': {
        const { entries } = datasetOf(source);
        const { messages, maxTokens, own } = entries[Math.floor(draw.uniform() * entries.length)]!;
        const system = messages[0]?.role === 'system' ? [] : systemMessages(source);
        return {
          messages: [...system, ...messages],
          maxTokens,
          ...(own === undefined ? {} : { own }),
        };
      }
      case 'trace': {
        const load = stages[stage]?.load;
        if (load?.kind !== 'trace') throw new Error(`stage ${stage} replays no trace`);
        const trace = traceOf(load);
        const vocabulary = vocabularyFor();
        const prompt = tracedPrompt(trace, index, { vocabulary, seed, draw });
        return {
          messages: promptMessages(source, prompt),
          maxTokens: trace.outputTokens(index),
          shared: sharedInTrace(trace, index),
        };
      }
    }
  };
  return { chatContentFor, traceOf };
};

/**
 * Returns one question of a drawn length. Without a system message, the server should count exactly the drawn number of
 * tokens.
 */
const generatedPrompt = (source: PromptSourceOf<'synthetic'>, by: TextDraw): ChatContent => {
  const { text, tokens, beginnings } = syntheticText(source, by);
  const isShared = beginnings.length > 0 || (source.system?.length ?? 0) >= leastSharedCharacters;
  return {
    messages: promptMessages(source, text),
    maxTokens: null,
    ...(source.system === null ? { tokens } : {}),
    ...(isShared ? { shared: { beginnings, isWhole: false, tokens } } : {}),
  };
};

/** Returns the shared beginnings of a prompt in a trace. Each beginning ends at the end of a block. */
const sharedInTrace = (trace: Trace, index: number): SharedText => {
  const tokens = trace.inputTokens(index);
  const beginnings = trace.blocksOf(index).map((block, i) => ({
    name: `block ${i} ${block}`,
    tokens: Math.min(tokens, (i + 1) * trace.blockTokens),
  }));
  return { beginnings, isWhole: false, tokens };
};

const systemMessages = ({ system }: PromptSource): readonly Message[] =>
  system === null ? [] : [{ role: 'system', content: system }];

const promptMessages = (source: PromptSource, content: string): readonly Message[] => [
  ...systemMessages(source),
  { role: 'user', content },
];
