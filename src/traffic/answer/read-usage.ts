import { maxPlausibleTokens } from '../cost-of-tokens.ts';
import { objectOf } from './json-text.ts';

/** This file reads the token counts of an answer, streamed or not, in all places and forms that servers use. */

/** The token counts of an answer or of an event. */
export interface UsageReading {
  /** The tokens of the prompt; `null` if the count cannot be read. */
  readonly input: number | null;
  /** The tokens of the answer; `null` if the count cannot be read. */
  readonly output: number | null;
  /** The tokens of the prompt that came from a cache; absent for none. Some gateways do not charge them. */
  readonly cached?: number;
  /** Whether a count is missing or is not a plausible number. */
  readonly isOdd: boolean;
  /**
   * Whether the counts are whole numbers in `usage`, under the names that the interface defines, and no token came from
   * a cache.
   */
  readonly isPlain: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The names that servers use for each count. */
const names = {
  input: [
    // Used by the interface (section 2.4).
    'prompt_tokens',
    // Used by the Anthropic API and OpenAI's Responses API, if a proxy passes them on, and by Cohere (`meta.tokens`).
    'input_tokens',
    // Used by the AI SDK's gateway and Gemini (UsageMetadata).
    'promptTokens',
    'inputTokens',
    'promptTokenCount',
    // Used by Ollama's own API.
    'prompt_eval_count',
    // Used by Amazon Bedrock (`amazon-bedrock-invocationMetrics`).
    'inputTokenCount',
  ],
  output: [
    'completion_tokens',
    'output_tokens',
    'completionTokens',
    'outputTokens',
    'candidatesTokenCount',
    'eval_count',
    'outputTokenCount',
    // Used by Text Generation Inference (`details`).
    'generated_tokens',
  ],
} as const;

/** Returns this field of the first choice that has it, in the choice itself or in its message or delta. */
const inChoices = ({ choices }: Fields): unknown => {
  if (!Array.isArray(choices)) return undefined;
  for (const value of choices) {
    const choice = objectOf(value);
    const found =
      objectOf(choice?.['usage']) ??
      objectOf(objectOf(choice?.['delta'])?.['usage']) ??
      objectOf(objectOf(choice?.['message'])?.['usage']);
    if (found !== null) return found;
  }
  return undefined;
};

/** Reads a count: a number or a text with a number, rounded; `null` if it is no plausible number of tokens. */
const countOf = (value: unknown): number | null => {
  const number =
    typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= maxPlausibleTokens
    ? Math.round(number)
    : null;
};

const countsOfTimings = (timings: Fields | null): Fields | undefined => {
  const [read, known, written] = ['prompt_n', 'cache_n', 'predicted_n'].map((name) =>
    countOf(timings?.[name]),
  );
  if (read === null || written === null) return undefined;
  return { prompt_tokens: read! + (known ?? 0), completion_tokens: written };
};

/** The places where documents contain counts, in order of preference. */
const places: readonly ((document: Fields) => unknown)[] = [
  // The place in the interface (section 2.4), vLLM, SGLang, llama.cpp, LiteLLM, OpenRouter, Azure, DeepSeek.
  ({ usage }) => usage,
  // The place in Moonshot's streams (platform.moonshot.ai, Chat API, streaming): the choice of the last chunk.
  inChoices,
  // The place in Groq's chunks (groq-python, `ChatCompletionChunk.x_groq`).
  ({ x_groq: own }) => objectOf(own)?.['usage'],
  // The places in SGLang's own API (`meta_info`), Gemini (`usageMetadata`), Cohere (`meta.tokens`).
  ({ meta_info: own }) => own,
  ({ usageMetadata: own }) => own,
  ({ meta: own }) => objectOf(own)?.['tokens'],
  // The places in Cohere's API v2 (`usage.tokens` and `usage.billed_units`).
  ({ usage }) => objectOf(usage)?.['tokens'],
  ({ usage }) => objectOf(usage)?.['billed_units'],
  // The places in Amazon Bedrock (ConverseStream, `metadata`; InvokeModelWithResponseStream), the Responses API,
  // Workers AI.
  ({ metadata: own }) => objectOf(own)?.['usage'],
  (document) => document['amazon-bedrock-invocationMetrics'],
  ({ response: own }) => objectOf(own)?.['usage'],
  ({ result: own }) => objectOf(own)?.['usage'],
  // The places in Gemini (python-genai) and LangChain, with their spellings.
  ({ usage_metadata: own }) => own,
  ({ token_usage: own }) => own,
  // The place in llama.cpp (tools/server/README.md, `timings`), if a stream did not ask for usage. `cache_n` counts the
  // tokens from a cache.
  ({ timings }) => countsOfTimings(objectOf(timings)),
  // The places in Text Generation Inference's own API, and in that of Ollama, whose counts are at the top level.
  ({ details: own }) => own,
  (document) => ('eval_count' in document ? document : undefined),
];

const firstCount = (usage: Fields, side: readonly string[]): unknown => {
  for (const name of side) {
    const value = usage[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
};

/**
 * Returns the tokens of reasoning that are not part of the output's count; 0 if they are. xAI counts them apart
 * (docs.x.ai, Consumption and rate limits: "counted separately from completion_tokens, but … in the total_tokens"), and
 * so does Gemini (`thoughtsTokenCount`). Only a total that is exactly the sum of all three shows that.
 */
const separateReasoning = (usage: Fields, input: number | null, output: number | null): number => {
  const total = countOf(usage['total_tokens'] ?? usage['totalTokenCount']);
  if (input === null || output === null || total === null || total <= input + output) return 0;
  const reasoning = countOf(
    objectOf(usage['completion_tokens_details'])?.['reasoning_tokens'] ??
      usage['reasoning_tokens'] ??
      usage['thoughtsTokenCount'],
  );
  return reasoning !== null && total === input + output + reasoning ? reasoning : 0;
};

/** Reads the number of cached tokens, as written by the OpenAI API, its Responses API, DeepSeek and Anthropic. */
const cachedIn = (usage: Fields): number =>
  countOf(
    objectOf(usage['prompt_tokens_details'])?.['cached_tokens'] ??
      objectOf(usage['input_tokens_details'])?.['cached_tokens'] ??
      usage['prompt_cache_hit_tokens'] ??
      usage['cache_read_input_tokens'],
  ) ?? 0;

const readingOf = (usage: Fields, isInterface: boolean): UsageReading => {
  const cached = cachedIn(usage);
  const [input, output] = [
    countOf(firstCount(usage, names.input)),
    countOf(firstCount(usage, names.output)),
  ];
  const separate = separateReasoning(usage, input, output);
  const isPlain =
    isInterface &&
    separate === 0 &&
    cached === 0 &&
    input !== null &&
    output !== null &&
    usage['prompt_tokens'] === input &&
    usage['completion_tokens'] === output;
  const isOdd = input === null || output === null;
  const all = output === null ? null : output + separate;
  return { input, output: all, ...(cached > 0 ? { cached } : {}), isOdd, isPlain };
};

const nothing: UsageReading = { input: null, output: null, isOdd: true, isPlain: false };

/** Reads the usage in a document, from the first place that has a count; `null` if no place has one. */
export const readUsage = (document: Fields): UsageReading | null => {
  let found: UsageReading | null = null;
  for (let position = 0; position < places.length; position += 1) {
    const value = places[position]!(document);
    if (value === undefined || value === null) continue;
    const usage = objectOf(value);
    const reading = usage === null ? nothing : readingOf(usage, position === 0);
    if (reading.input !== null || reading.output !== null) return reading;
    // If there is a usage, objects in the other places have another meaning.
    if (position < 3) found ??= reading;
  }
  return found;
};

/** Returns the later of two counts. Servers that do not count end with zeros, which replace no count. */
const laterCount = (before: number | null, after: number | null): number | null =>
  after === 0 ? (before ?? after) : (after ?? before);

/** Combines the usage of two events of an answer. A later count replaces an earlier one. */
export const laterUsage = (before: UsageReading | null, after: UsageReading): UsageReading => {
  if (before === null) return after;
  const input = laterCount(before.input, after.input);
  const output = laterCount(before.output, after.output);
  const cached = after.cached ?? before.cached;
  const isOdd = input === null || output === null;
  return { input, output, ...(cached === undefined ? {} : { cached }), isOdd, isPlain: false };
};
