import { userIterationOf } from '../model/plan/user-iteration.ts';
import { drawTokenCount } from '../model/workload/token-count.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { PromptSource, PromptSourceOf } from '../model/workload/prompt-source.ts';
import type { Trace, TraceLoad } from '../model/workload/trace.ts';
import type { TokenizerFacts } from '../model/workload/tokenizer.ts';
import type { Message } from '../model/workload/message.ts';
import type { ChatContent, Workload } from '../model/workload/workload.ts';
import type { SingleTokenWords } from './single-token-words.ts';
import { syntheticConversation, syntheticPrompt, tracedPrompt } from './prompts.ts';
import type { Dataset } from './read-dataset.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** The sources of a plan's prompts and traces. */
export interface WorkloadSources {
  /** Returns the words of the tokenizer that a source names, or of OpenAI's. */
  readonly wordsFor: (tokenizer: TokenizerFacts | undefined) => SingleTokenWords;
  readonly datasetOf: (source: PromptSourceOf<'dataset'>) => Dataset;
  readonly traceOf: (load: TraceLoad) => Trace;
}

/** Creates the workload of a plan whose files have been read. */
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
  // Built now, so that a running load does not wait for it.
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
        const by = { vocabulary, seed, stage };
        const turnMessages = syntheticConversation(source, turns, asking, by);
        return { messages: [...systemMessages(source), ...turnMessages], maxTokens: null };
      }
      case 'dataset': {
        const { entries } = datasetOf(source);
        const { messages, maxTokens } = entries[Math.floor(draw.uniform() * entries.length)]!;
        const system = messages[0]?.role === 'system' ? [] : systemMessages(source);
        return { messages: [...system, ...messages], maxTokens };
      }
      case 'trace': {
        const load = stages[stage]?.load;
        if (load?.kind !== 'trace') throw new Error(`stage ${stage} replays no trace`);
        const trace = traceOf(load);
        const vocabulary = vocabularyFor();
        const prompt = tracedPrompt(trace, index, { vocabulary, seed, draw });
        return { messages: promptMessages(source, prompt), maxTokens: trace.outputTokens(index) };
      }
    }
  };
  return { chatContentFor, traceOf };
};

/** Returns one question of the drawn length. Without a system message the server should count only its tokens. */
const generatedPrompt = (
  source: PromptSourceOf<'synthetic'>,
  by: Parameters<typeof syntheticPrompt>[1],
): ChatContent => {
  const tokens = drawTokenCount(source.tokens, by.draw);
  const messages = promptMessages(source, syntheticPrompt({ ...source, tokens }, by));
  return { messages, maxTokens: null, ...(source.system === null ? { tokens } : {}) };
};

const systemMessages = ({ system }: PromptSource): readonly Message[] =>
  system === null ? [] : [{ role: 'system', content: system }];

const promptMessages = (source: PromptSource, content: string): readonly Message[] => [
  ...systemMessages(source),
  { role: 'user', content },
];
