import { maxPlausibleTokens } from '../cost-of-tokens.ts';
import { objectOf } from './json-text.ts';

/** This file reads the token counts of an answer, whole or streamed, in all places and forms that servers use. */

/** The token counts in an answer or an event. */
export interface UsageReading {
  /** The tokens of the prompt; `null` if they are not readable. */
  readonly input: number | null;
  /** The tokens of the answer; `null` if they are not readable. */
  readonly output: number | null;
  /** The tokens of the prompt that came from a cache, since some gateways do not charge them; absent for none. */
  readonly cached?: number;
  /** Whether a count is absent, or cannot be read as a plausible number. */
  readonly isOdd: boolean;
  /** Whether the counts are whole numbers in `usage`, under the names of the interface, and nothing was cached. */
  readonly isPlain: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The names of the counts. */
const names = {
  input: [
    // The interface (2.4).
    'prompt_tokens',
    // The Anthropic API and OpenAI's Responses API, through proxies; Cohere (`meta.tokens`).
    'input_tokens',
    // The AI SDK's gateway, and Gemini (UsageMetadata).
    'promptTokens',
    'inputTokens',
    'promptTokenCount',
    // Ollama's own API.
    'prompt_eval_count',
    // Amazon Bedrock (`amazon-bedrock-invocationMetrics`).
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
    // Text Generation Inference (`details`).
    'generated_tokens',
  ],
} as const;

/** Returns the first choice that has a field with this name, also within its message or delta. */
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

/** Reads a count: a number or a numeric text, rounded; `null` for what is not a plausible number of tokens. */
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

/** The places of the counts in a document, in order of preference. */
const places: readonly ((document: Fields) => unknown)[] = [
  // The interface (2.4), vLLM, SGLang, llama.cpp, LiteLLM, OpenRouter, Azure, DeepSeek.
  ({ usage }) => usage,
  // Moonshot (platform.moonshot.ai, Chat API, streaming): in the choice of the last chunk.
  inChoices,
  // Groq (groq-python, `ChatCompletionChunk.x_groq`).
  ({ x_groq: own }) => objectOf(own)?.['usage'],
  // SGLang's own API (`meta_info`), Gemini (`usageMetadata`), Cohere (`meta.tokens`).
  ({ meta_info: own }) => own,
  ({ usageMetadata: own }) => own,
  ({ meta: own }) => objectOf(own)?.['tokens'],
  // Cohere (API v2, `usage.tokens` and `usage.billed_units`).
  ({ usage }) => objectOf(usage)?.['tokens'],
  ({ usage }) => objectOf(usage)?.['billed_units'],
  // Amazon Bedrock (ConverseStream, `metadata`; InvokeModelWithResponseStream), the Responses API, Workers AI.
  ({ metadata: own }) => objectOf(own)?.['usage'],
  (document) => document['amazon-bedrock-invocationMetrics'],
  ({ response: own }) => objectOf(own)?.['usage'],
  ({ result: own }) => objectOf(own)?.['usage'],
  // Gemini (python-genai) and LangChain, in their own spelling.
  ({ usage_metadata: own }) => own,
  ({ token_usage: own }) => own,
  // llama.cpp (tools/server/README.md, `timings`), if a stream did not ask for usage; `cache_n` tokens were known.
  ({ timings }) => countsOfTimings(objectOf(timings)),
  // Text Generation Inference's own API, and Ollama's, which counts at the top.
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

/** Reads the cached tokens: of the OpenAI API, of its Responses API, of DeepSeek and of Anthropic. */
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
  const isPlain =
    isInterface &&
    cached === 0 &&
    input !== null &&
    output !== null &&
    usage['prompt_tokens'] === input &&
    usage['completion_tokens'] === output;
  const isOdd = input === null || output === null;
  return { input, output, ...(cached > 0 ? { cached } : {}), isOdd, isPlain };
};

const nothing: UsageReading = { input: null, output: null, isOdd: true, isPlain: false };

/** Reads the usage of a document; `null` if it reports none. The first place with a count is read. */
export const readUsage = (document: Fields): UsageReading | null => {
  let found: UsageReading | null = null;
  for (const [position, place] of places.entries()) {
    const value = place(document);
    if (value === undefined || value === null) continue;
    const usage = objectOf(value);
    const reading = usage === null ? nothing : readingOf(usage, position === 0);
    if (reading.input !== null || reading.output !== null) return reading;
    // If there is a usage, objects in the other places have other purposes.
    if (position < 3) found ??= reading;
  }
  return found;
};

/** Combines the reports of two events of an answer: a later count replaces an earlier one. */
export const laterUsage = (before: UsageReading | null, after: UsageReading): UsageReading => {
  if (before === null) return after;
  const [input, output] = [after.input ?? before.input, after.output ?? before.output];
  const cached = after.cached ?? before.cached;
  const isOdd = input === null || output === null;
  return { input, output, ...(cached === undefined ? {} : { cached }), isOdd, isPlain: false };
};
