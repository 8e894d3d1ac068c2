import type { Load, Plan } from '../model/plan.ts';
import type { PromptSource, PromptSourceOf } from '../model/prompt-source.ts';
import type { Trace, TraceLoad } from '../model/trace.ts';
import type { TokenizerFacts } from '../model/tokenizer.ts';
import type { Message } from '../model/traffic.ts';
import type { Asked, Workload } from '../model/workload.ts';
import type { FittedWords } from './fit-words.ts';
import { syntheticConversation, syntheticPrompt, tracedPrompt } from './prompts.ts';
import type { Dataset } from './read-dataset.ts';
import { type Vocabulary, vocabularyOf } from './words.ts';

/** What a plan's prompts and traces are made from. */
export interface Materials {
  /** By the tokenizer that a source names, or by OpenAI's. */
  readonly wordsFor: (tokenizer: TokenizerFacts | undefined) => FittedWords;
  readonly datasetOf: (source: PromptSourceOf<'dataset'>) => Dataset;
  readonly traceOf: (load: TraceLoad) => Trace;
}

/** The workload of a plan whose files have been read. */
export const openWorkload = (
  { stages, seed }: Plan,
  { wordsFor, datasetOf, traceOf }: Materials,
): Workload => {
  const vocabularies = new Map<string | undefined, Vocabulary>();
  const vocabularyFor = (tokenizer?: TokenizerFacts): Vocabulary => {
    const known = vocabularies.get(tokenizer?.name);
    if (known !== undefined) return known;
    const vocabulary = vocabularyOf(wordsFor(tokenizer));
    vocabularies.set(tokenizer?.name, vocabulary);
    return vocabulary;
  };
  // Read and packed now: a load that has begun is not to wait for it.
  for (const entry of stages.flatMap(({ traffic }) => traffic)) {
    if (!('conversations' in entry) || Array.isArray(entry.conversations)) continue;
    const { conversations: source } = entry;
    if (source.kind === 'synthetic') vocabularyFor(source.tokenizer);
    if (source.kind === 'trace') vocabularyFor();
  }
  const ask: Workload['ask'] = (source, { stage, index }, draw): Asked => {
    switch (source.kind) {
      case 'synthetic': {
        const { turns, tokenizer } = source;
        const vocabulary = vocabularyFor(tokenizer);
        if (turns === null) {
          const prompt = syntheticPrompt(source, { vocabulary, seed, draw });
          return { messages: said(source, prompt), maxTokens: null };
        }
        const asking = askingOf(stages[stage]?.load, index);
        const talk = syntheticConversation(source, turns, asking, { vocabulary, seed, stage });
        return { messages: [...opening(source), ...talk], maxTokens: null };
      }
      case 'dataset': {
        const { entries } = datasetOf(source);
        const { messages, maxTokens } = entries[Math.floor(draw.uniform() * entries.length)]!;
        const hasOwn = messages[0]?.role === 'system';
        return { messages: hasOwn ? messages : [...opening(source), ...messages], maxTokens };
      }
      case 'trace': {
        const load = stages[stage]?.load;
        if (load?.kind !== 'trace') throw new Error(`stage ${stage} replays no trace`);
        const trace = traceOf(load);
        const vocabulary = vocabularyFor();
        const prompt = tracedPrompt(trace, index, { vocabulary, seed, draw });
        return { messages: said(source, prompt), maxTokens: trace.outputTokens(index) };
      }
    }
  };
  return { ask, traceOf };
};

const askersOf = (load: Load | undefined): number => {
  if (load?.kind === 'saturate') return load.connections;
  return load?.kind === 'closed' ? load.users : 1;
};

/** Who asks request `index` (the inverse of the engine's numbering), where users ask; else one user asks all. */
const askingOf = (load: Load | undefined, index: number) => {
  const users = askersOf(load);
  return { user: index % users, users, iteration: Math.floor(index / users) };
};

const opening = ({ system }: PromptSource): readonly Message[] =>
  system === null ? [] : [{ role: 'system', content: system }];

const said = (source: PromptSource, content: string): readonly Message[] => [
  ...opening(source),
  { role: 'user', content },
];
