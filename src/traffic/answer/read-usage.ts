import { objectOf } from './json-text.ts';
import { readTokenCount } from './token-count.ts';
import {
  type ClassCounts,
  hasPlainClasses,
  isBeyondText,
  noClasses,
  plainClasses,
  splitUsage,
} from './usage-classes.ts';

/**
 * This file reads the token counts of an answer, streamed or not, from all fields and in all forms that servers use.
 */

export interface UsageReading {
  /** The number of tokens of the prompt; `null` if the count cannot be read. */
  readonly input: number | null;
  /** The number of tokens of the answer; `null` if the count cannot be read. */
  readonly output: number | null;
  /** The token counts of the classes that have their own prices. These tokens are part of `input` and `output`. */
  readonly classes: ClassCounts;
  /** Whether `input` or `output` is `null`: the server reports no such count, or an implausible one. */
  readonly isOdd: boolean;
  /** Whether the reported total differs from the sum of its parts. */
  readonly isOff: boolean;
  /**
   * Whether the usage is plain: its counts are whole numbers in `usage`, under the names of the OpenAI API, and its
   * only classes with tokens are cached tokens and reasoning.
   */
  readonly isPlain: boolean;
  /**
   * Whether the output tokens may include tokens that are not text in the answer: tokens of images, of predictions that
   * the model rejected, or of tools on the server.
   */
  readonly isBeyondText?: boolean;
  /** The usage of each choice, by the index of the choice; absent unless the server counts each choice separately. */
  readonly byChoice?: ReadonlyMap<number, UsageReading>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The names that servers use for each count. */
const names = {
  input: [
    // Used by the interface (section 2.4).
    'prompt_tokens',
    // Used by the Anthropic API and OpenAI's Responses API, if a proxy passes the names on, and by Cohere
    // (`meta.tokens`).
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

/**
 * Further names of both counts, without capitals and punctuation. For example, servers write `tokens_in`,
 * `num_prompt_tokens`, `prompt_tokens_count` (SambaNova), `input_token_count` (IBM watsonx), `answer_tokens`
 * (Baichuan), `tokens_evaluated` (llama.cpp's own API). Weir reads these names only if the usage has none of the names
 * above.
 */
const otherNames = {
  input:
    /^(?:n|num|native)?(?:tokens?)?(?:prompt|input|in|evaluated)(?:tokens?)?(?:count|num|number|total)?$/,
  output:
    /^(?:n|num|native)?(?:tokens?)?(?:completion|output|out|generated|generation|answer|response|sampled|predicted|candidates)(?:tokens?)?(?:count|num|number|total)?$/,
} as const;

/**
 * Returns the usage of a choice, in the choice itself or in its message or delta; `null` if the choice has no usage.
 */
const usageOfChoice = (value: unknown): Fields | null => {
  const choice = objectOf(value);
  return (
    objectOf(choice?.['usage']) ??
    objectOf(objectOf(choice?.['delta'])?.['usage']) ??
    objectOf(objectOf(choice?.['message'])?.['usage'])
  );
};

const countsOfTimings = (timings: Fields | null): Fields | undefined => {
  const [read, known, written] = ['prompt_n', 'cache_n', 'predicted_n'].map((name) =>
    readTokenCount(timings?.[name]),
  );
  if (read === null || written === null) return undefined;
  return {
    prompt_tokens: read! + (known ?? 0),
    completion_tokens: written,
    ...(known === null ? {} : { cached_tokens: known }),
  };
};

type Side = keyof typeof names;

const firstCount = (usage: Fields, side: Side): unknown => {
  for (const name of names[side]) {
    const value = usage[name];
    if (value !== undefined && value !== null) return value;
  }
  // None of the names above is present with a value.
  for (const name in usage) {
    const value = usage[name];
    // A number with a fraction is probably a price.
    if (readTokenCount(value) === null || !Number.isInteger(Number(value))) continue;
    if (otherCounts.test(name)) continue;
    if (otherNames[side].test(name.toLowerCase().replaceAll(/[^a-z]/g, ''))) return value;
  }
  return undefined;
};

const hasCount = (usage: Fields, side: Side): boolean =>
  readTokenCount(firstCount(usage, side)) !== null;

/**
 * Matches words in the names of fields that do not count the tokens of one answer: sums, bounds, prices, or counts of
 * another model.
 */
const otherCounts =
  /total|cumul|session|account|monthly|daily|lifetime|today|limit|quota|budget|previous|estimat|remaining|allowed|price|pricing|guardrail|moderation|conversation|(?:^|_)(?:max|min|user|key|org|organi[sz]ation|team|project|tenant|customer|plan|cached)_/i;

/** Matches the names of fields with the usage of one answer. */
const usageName =
  /^(?:\w+_)?(?:usage|token_?usage|token_?counts?|tokens|stats|statistics|metrics)(?:_?(?:info|metadata|stats|details))?$/i;

const namedUsage = (fields: Fields): Fields | undefined => {
  for (const name in fields) {
    if (!usageName.test(name) || otherCounts.test(name)) continue;
    const usage = objectOf(fields[name]);
    if (usage !== null && (hasCount(usage, 'input') || hasCount(usage, 'output'))) return usage;
  }
  return undefined;
};

/**
 * Returns the usage in a field that Weir recognises only by the words in its name. The field is at the top of a
 * document or one level below: LiteLLM's `_hidden_params.usage`, LangChain's `llm_output.token_usage`, `usage_info`,
 * `x_usage`.
 */
const namedUsageIn = (document: Fields): Fields | undefined => {
  const own = namedUsage(document);
  if (own !== undefined) return own;
  for (const name in document) {
    const isOther = name === 'choices' || otherCounts.test(`${name}_`);
    const inner = isOther ? null : objectOf(document[name]);
    const usage = inner === null ? undefined : namedUsage(inner);
    if (usage !== undefined) return usage;
  }
  return undefined;
};

/**
 * Each function returns the value at one place in which some servers report the usage. The first value with a count is
 * used. The usages of single choices are read by `readChoices`.
 */
const places: readonly ((document: Fields) => unknown)[] = [
  // Used by the interface (section 2.4), vLLM, SGLang, llama.cpp, LiteLLM, OpenRouter, Azure, DeepSeek.
  ({ usage }) => usage,
  // Used by Groq in chunks (groq-python, `ChatCompletionChunk.x_groq`).
  ({ x_groq: own }) => objectOf(own)?.['usage'],
  // Used by SGLang's own API (`meta_info`), Gemini (`usageMetadata`) and Cohere (`meta.tokens`).
  ({ meta_info: own }) => own,
  ({ usageMetadata: own }) => own,
  ({ meta: own }) => objectOf(own)?.['tokens'],
  // Used by Cohere's API v2 (`usage.tokens` and `usage.billed_units`).
  ({ usage }) => objectOf(usage)?.['tokens'],
  ({ usage }) => objectOf(usage)?.['billed_units'],
  // Used by Amazon Bedrock (ConverseStream, `metadata`; InvokeModelWithResponseStream), the Responses API, Workers AI.
  ({ metadata: own }) => objectOf(own)?.['usage'],
  (document) => document['amazon-bedrock-invocationMetrics'],
  ({ response: own }) => objectOf(own)?.['usage'],
  ({ result: own }) => objectOf(own)?.['usage'],
  // Used by Gemini (python-genai) and LangChain, in their own spellings.
  ({ usage_metadata: own }) => own,
  ({ token_usage: own }) => own,
  // Used by llama.cpp (tools/server/README.md, `timings`) if the request for a stream did not ask for usage. `cache_n`
  // counts the tokens that came from a cache.
  ({ timings }) => countsOfTimings(objectOf(timings)),
  // Used by Text Generation Inference's own API. Ollama's own API has its counts at the top level (below).
  ({ details: own }) => own,
  // Used by IBM watsonx's own API.
  ({ results: own }) => (Array.isArray(own) ? (own[0] as unknown) : undefined),
  // Used by iFlytek Spark's API (`usage.text`, also inside `payload`).
  ({ usage }) => objectOf(usage)?.['text'],
  ({ payload: own }) => objectOf(objectOf(own)?.['usage'])?.['text'],
  (document) =>
    'eval_count' in document || 'completion_tokens' in document ? document : undefined,
  (document) => namedUsageIn(document),
];

const readingOf = (usage: Fields, isInterface: boolean): UsageReading => {
  const [own, written] = [
    readTokenCount(firstCount(usage, 'input')),
    readTokenCount(firstCount(usage, 'output')),
  ];
  const { input, output, classes, isOff } = splitUsage(usage, own, written);
  const isPlain =
    isInterface &&
    !isOff &&
    input !== null &&
    output !== null &&
    usage['prompt_tokens'] === input &&
    usage['completion_tokens'] === output &&
    hasPlainClasses(usage, classes);
  const reading = { input, output, classes, isOdd: input === null || output === null, isOff };
  return classes !== noClasses && isBeyondText(usage)
    ? { ...reading, isPlain: false, isBeyondText: true }
    : { ...reading, isPlain };
};

const nothing: UsageReading = {
  input: null,
  output: null,
  classes: noClasses,
  isOdd: true,
  isOff: false,
  isPlain: false,
};

export const plainUsage = (
  input: number,
  output: number,
  cached: number | undefined,
  reasoning: number,
): UsageReading => ({
  input,
  output,
  classes: plainClasses(cached, reasoning),
  isOdd: false,
  isOff: false,
  isPlain: true,
});

const sumOf = (counts: readonly (number | null | undefined)[]): number | null => {
  const known = counts.filter((count) => count !== null && count !== undefined);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
};

/** Adds up the usages of several choices that answer the same prompt. The tokens of the prompt count only once. */
const sumOfChoices = (byChoice: ReadonlyMap<number, UsageReading>): UsageReading => {
  const all = [...byChoice.values()];
  const [first] = all as [UsageReading];
  if (all.length === 1) return { ...first, isPlain: false, byChoice };
  const input = all.find((each) => each.input !== null)?.input ?? null;
  const output = sumOf(all.map((each) => each.output));
  const classes: Record<string, number> = { ...first.classes };
  for (const name of ['reasoning', 'audioOutput'] as const) {
    const sum = sumOf(all.map((each) => each.classes[name]));
    if (sum !== null) classes[name] = sum;
  }
  const isOff = all.some((each) => each.isOff);
  const isOdd = input === null || output === null;
  return { input, output, classes, isOdd, isOff, isPlain: false, byChoice };
};

/**
 * Reads the usage that Moonshot writes into the last chunk of each choice (platform.moonshot.ai, Chat API, streaming).
 */
const readChoices = ({ choices }: Fields): UsageReading | null => {
  if (!Array.isArray(choices)) return null;
  let byChoice: Map<number, UsageReading> | null = null;
  for (let position = 0; position < choices.length; position += 1) {
    const value: unknown = choices[position];
    const usage = usageOfChoice(value);
    if (usage === null) continue;
    const index = objectOf(value)?.['index'];
    byChoice ??= new Map();
    byChoice.set(typeof index === 'number' ? index : position, readingOf(usage, false));
  }
  return byChoice === null ? null : sumOfChoices(byChoice);
};

/**
 * Reads the usage in a document, from the first place that has a count. If a usage has no readable count, its `input`
 * and `output` are `null`. Returns `null` without a usage.
 */
export const readUsage = (document: Fields): UsageReading | null => {
  let found: UsageReading | null = null;
  // This code runs for each parsed chunk, so the loop creates no iterators.
  for (let position = 0; position < places.length; position += 1) {
    const value = places[position]!(document);
    if (value !== undefined && value !== null) {
      const usage = objectOf(value);
      const reading = usage === null ? nothing : readingOf(usage, position === 0);
      if (reading.input !== null || reading.output !== null) return reading;
      // After the first two places, an object without counts may be something other than a usage.
      if (position < 2) found ??= reading;
    }
    if (position > 0) continue;
    const reading = readChoices(document);
    if (reading !== null && (reading.input !== null || reading.output !== null)) return reading;
    found ??= reading;
  }
  return found;
};

/** Returns the later of two counts. A later 0 is ignored if an earlier count exists. */
const laterCount = (before: number | null, after: number | null): number | null =>
  after === null || (after === 0 && before !== null) ? before : after;

/** Combines the usages of two events of one answer. A later count replaces an earlier count. */
export const laterUsage = (before: UsageReading | null, after: UsageReading): UsageReading => {
  if (before === null) return after;
  if (before.byChoice !== undefined && after.byChoice !== undefined)
    return sumOfChoices(new Map([...before.byChoice, ...after.byChoice]));
  const input = laterCount(before.input, after.input);
  const output = laterCount(before.output, after.output);
  const isEmpty = after.input === 0 && after.output === 0;
  const classes =
    isEmpty || before.classes === after.classes
      ? before.classes
      : { ...before.classes, ...after.classes };
  const isOdd = input === null || output === null;
  const isBeyond = before.isBeyondText === true || after.isBeyondText === true;
  const reading = { input, output, classes, isOdd, isOff: after.isOff, isPlain: false };
  return isBeyond ? { ...reading, isBeyondText: true } : reading;
};
