import { serverToolInUsage } from './server-tools.ts';
import type { TokenCounts } from '../../model/observation/outcome.ts';
import { readTokenCount } from './token-count.ts';
import { objectOf } from './json-text.ts';

/**
 * This file reads the classes of tokens in a usage: read from a cache, written to a cache, reasoning, audio. Some
 * servers include the tokens of a class in the main counts. Other servers count the tokens of a class separately
 * (beside the main counts). The result always includes the tokens of all classes in the main counts.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The counts of classes. A class without tokens is absent, unless the server reports 0 cached tokens. */
export type ClassCounts = Pick<
  TokenCounts,
  'cached' | 'cacheWrite' | 'audioInput' | 'reasoning' | 'audioOutput'
>;

/** Servers split the tokens of a prompt or an answer into classes inside an object with one of these names. */
const inputDetails = [
  'prompt_tokens_details',
  'input_tokens_details',
  'input_token_details',
  'promptTokensDetails',
];
const outputDetails = [
  'completion_tokens_details',
  'output_tokens_details',
  'output_token_details',
  'completionTokensDetails',
];

/** A name of a count. `isBeside` says whether servers with this name count these tokens beside the main count. */
type Name = readonly [name: string, isBeside?: boolean];

interface ClassNames {
  readonly details: readonly string[];
  /** The names of the count inside the details. */
  readonly inside: readonly string[];
  /** The names of the count in the usage itself. */
  readonly own: readonly Name[];
}

const cachedNames: ClassNames = {
  details: inputDetails,
  // Used by OpenAI, the AI SDK, and LangChain (`UsageMetadata.input_token_details`).
  inside: ['cached_tokens', 'cachedTokens', 'cache_read'],
  own: [
    // Used by DeepSeek (context caching).
    ['prompt_cache_hit_tokens'],
    // Used by Moonshot, Together and SGLang (`cached_tokens`), and by Mistral (`num_cached_tokens`).
    ['cached_tokens'],
    ['num_cached_tokens'],
    // Used by Gemini (UsageMetadata) in two spellings, and by the AI SDK (`cachedInputTokens`).
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
    ['cachedInputTokens'],
    // Used by Anthropic, Bedrock Converse (TokenUsage), and Bedrock's invocation metrics.
    ['cache_read_input_tokens', true],
    ['cacheReadInputTokens', true],
    ['cacheReadInputTokenCount', true],
  ],
};

const cacheWriteNames: ClassNames = {
  details: inputDetails,
  // Used by OpenRouter, LiteLLM, DashScope and LangChain.
  inside: [
    'cache_write_tokens',
    'cache_creation_tokens',
    'cache_creation_input_tokens',
    'cache_creation',
  ],
  own: [
    ['cache_creation_input_tokens', true],
    ['cacheWriteInputTokens', true],
    ['cacheWriteInputTokenCount', true],
  ],
};

const reasoningNames: ClassNames = {
  details: outputDetails,
  // Used by OpenAI, the AI SDK and LangChain.
  inside: ['reasoning_tokens', 'reasoningTokens', 'reasoning'],
  own: [
    // Used by Perplexity and SGLang (`reasoning_tokens`), and by the AI SDK (`reasoningTokens`).
    ['reasoning_tokens'],
    ['reasoningTokens'],
    // Used by Gemini, in two spellings.
    ['thoughtsTokenCount', true],
    ['thoughts_token_count', true],
  ],
};

const audioNames = ['audio_tokens', 'audioTokens', 'audio'];
/**
 * Gemini's lists of tokens by modality: the tokens of the prompt, the tokens from a cache, and the tokens of the
 * answer.
 */
const modalityLists = {
  prompt: ['promptTokensDetails', 'prompt_tokens_details'],
  cache: ['cacheTokensDetails', 'cache_tokens_details'],
  answer: ['candidatesTokensDetails', 'candidates_tokens_details'],
};

const absent = { count: null, isBeside: false } as const;

const findClass = (usage: Fields, { details, inside, own }: ClassNames) => {
  for (const holder of details) {
    const fields = objectOf(usage[holder]);
    if (fields === null) continue;
    for (const name of inside) {
      const count = readTokenCount(fields[name]);
      if (count !== null) return { count, isBeside: false };
    }
  }
  for (const [name, isBeside = false] of own) {
    const count = readTokenCount(usage[name]);
    if (count !== null) return { count, isBeside };
  }
  return absent;
};

const audioInLists = (usage: Fields, lists: readonly string[]): number | null => {
  for (const name of lists) {
    const list = usage[name];
    if (!Array.isArray(list)) continue;
    const rows = list.map(objectOf).filter((row) => row?.['modality'] === 'AUDIO');
    return rows.reduce(
      (sum, row) => sum + (readTokenCount(row?.['tokenCount'] ?? row?.['token_count']) ?? 0),
      0,
    );
  }
  return null;
};

const audioIn = (usage: Fields, details: readonly string[]): number | null =>
  findClass(usage, { details, inside: audioNames, own: [] }).count;

/**
 * Returns the number of audio tokens of a prompt that did not come from a cache; `null` if unknown. Cached audio tokens
 * have the price of cached tokens.
 */
const newAudioIn = (usage: Fields): number | null => {
  const heard = audioIn(usage, inputDetails) ?? audioInLists(usage, modalityLists.prompt);
  // Most prompts have no audio, so the details are not searched.
  if (heard === null || heard === 0) return heard;
  const cachedDetails = inputDetails
    .map((holder) => objectOf(objectOf(usage[holder])?.['cached_tokens_details']))
    .find((found) => found !== null);
  const known =
    readTokenCount(cachedDetails?.['audio_tokens']) ??
    audioInLists(usage, modalityLists.cache) ??
    0;
  return Math.max(0, heard - known);
};

/** Returns the number of tokens of tool results. Gemini does not include these tokens in its count of the prompt. */
const toolPromptIn = (usage: Fields): number =>
  readTokenCount(usage['toolUsePromptTokenCount'] ?? usage['tool_use_prompt_token_count']) ?? 0;

const totalIn = (usage: Fields): number | null =>
  readTokenCount(
    usage['total_tokens'] ??
      usage['totalTokens'] ??
      usage['totalTokenCount'] ??
      usage['total_token_count'],
  );

/**
 * Returns whether a usage counts tokens that are not text in the answer: tokens of images (OpenRouter), tokens of a
 * prediction that the model rejected (OpenAI), or perhaps tokens of tools that the server ran.
 */
export const isBeyondText = (usage: Fields): boolean =>
  serverToolInUsage(usage) !== null ||
  outputDetails.some((holder) => {
    const fields = objectOf(usage[holder]);
    return ['image_tokens', 'imageTokens', 'video_tokens', 'rejected_prediction_tokens'].some(
      (name) => (readTokenCount(fields?.[name]) ?? 0) > 0,
    );
  });

/**
 * Returns whether the names of the main counts show that the server may count cached tokens beside the main counts.
 * Servers with the name `prompt_tokens` count cached tokens inside the main counts.
 */
const countsBeside = (usage: Fields): boolean =>
  usage['prompt_tokens'] === undefined || usage['prompt_tokens'] === null;

/**
 * Whether cached tokens (`cacheBeside`) and reasoning tokens (`thoughtBeside`) are counted separately from the main
 * counts, instead of being included in them.
 */
interface Places {
  readonly cacheBeside: boolean;
  readonly thoughtBeside: boolean;
}

/** The main counts of a usage, and the counts of its classes. The main counts include all classes. */
interface SplitUsage {
  readonly input: number | null;
  readonly output: number | null;
  readonly classes: ClassCounts;
  /**
   * Whether the reported total is neither the sum of the main counts nor the sum with the classes that may be counted
   * beside them.
   */
  readonly isOff: boolean;
}

export const noClasses: ClassCounts = Object.freeze({});
/** The classes of a usage with 0 cached tokens and no other class. Such usages are common, and share this object. */
const noneCached: ClassCounts = Object.freeze({ cached: 0 });

export const plainClasses = (cached: number | undefined, reasoning: number): ClassCounts => {
  if (reasoning === 0) {
    if (cached === undefined) return noClasses;
    return cached === 0 ? noneCached : { cached };
  }
  return cached === undefined ? { reasoning } : { cached, reasoning };
};

/** Returns whether the usage has only classes of the OpenAI API, in the fields of the OpenAI API. */
export const hasPlainClasses = (usage: Fields, classes: ClassCounts): boolean => {
  if (classes === noClasses || classes === noneCached) return true;
  const { cached = 0, reasoning = 0, cacheWrite, audioInput, audioOutput } = classes;
  const [read, thought] = [
    objectOf(usage['prompt_tokens_details'])?.['cached_tokens'] ?? 0,
    objectOf(usage['completion_tokens_details'])?.['reasoning_tokens'] ?? 0,
  ];
  return (
    read === cached &&
    thought === reasoning &&
    cacheWrite === undefined &&
    audioInput === undefined &&
    audioOutput === undefined
  );
};

/** Returns the token counts of an answer whose tokens the server counted. */
export const countedTokens = (
  input: number | null,
  output: number,
  classes: ClassCounts,
): TokenCounts => {
  if (classes === noClasses) return { input, output, source: 'usage' };
  const { cached, cacheWrite, audioInput, reasoning, audioOutput } = classes;
  const others = cacheWrite ?? audioInput ?? reasoning ?? audioOutput;
  // Most servers report no class other than cached tokens. Copying unknown fields would take ten times as long.
  return cached !== undefined && others === undefined
    ? { input, output, cached, source: 'usage' }
    : { input, output, ...classes, source: 'usage' };
};

/** Returns whether details count nothing: every value is 0 or null. */
const areZeros = (details: unknown): boolean => {
  if (typeof details !== 'object') return false;
  for (const name in details) {
    const count: unknown = details[name as keyof typeof details];
    if (count !== 0 && count !== null) return false;
  }
  return true;
};

/**
 * Returns the classes of a usage if no class has tokens and the total (if any) is the sum of the main counts; `null`
 * for any other usage.
 */
const simpleClasses = (
  usage: Fields,
  input: number | null,
  output: number | null,
): ClassCounts | null => {
  let classes = noClasses;
  for (const name in usage) {
    if (name === 'prompt_tokens' || name === 'completion_tokens') continue;
    const value = usage[name];
    if (name === 'total_tokens') {
      if (value !== (input ?? Number.NaN) + (output ?? 0)) return null;
    } else if (name === 'prompt_tokens_details') {
      if (!areZeros(value)) return null;
      const found = readTokenCount(objectOf(value)?.['cached_tokens']);
      if (found !== null) classes = noneCached;
    } else if (name !== 'completion_tokens_details' || !areZeros(value)) return null;
  }
  return classes;
};

/**
 * Reads the counts of the classes. `byName` says whether the names of the counts suggest that the classes are beside
 * the main counts.
 */
const readClasses = (usage: Fields) => {
  const [read, written] = [findClass(usage, cachedNames), findClass(usage, cacheWriteNames)];
  const thought = findClass(usage, reasoningNames);
  const heard = newAudioIn(usage);
  const spoken = audioIn(usage, outputDetails) ?? audioInLists(usage, modalityLists.answer);
  const classes: { -readonly [Class in keyof ClassCounts]: ClassCounts[Class] } = {};
  if (read.count !== null) classes.cached = read.count;
  if (written.count) classes.cacheWrite = written.count;
  if (heard) classes.audioInput = heard;
  if (thought.count) classes.reasoning = thought.count;
  if (spoken) classes.audioOutput = spoken;
  const byName: Places = {
    cacheBeside: (read.isBeside || written.isBeside) && countsBeside(usage),
    thoughtBeside: thought.isBeside,
  };
  return { classes, byName };
};

/**
 * The tokens of an answer. The tokens of a class may be inside or beside the main counts. `null` stands for an unknown
 * count.
 */
interface CountedTokens {
  readonly prompt: number | null;
  readonly answer: number | null;
  readonly cache: number;
  readonly reasoning: number;
}

const sumAt = (
  { prompt, answer, cache, reasoning }: CountedTokens,
  { cacheBeside, thoughtBeside }: Places,
): number =>
  (prompt ?? 0) + (answer ?? 0) + (cacheBeside ? cache : 0) + (thoughtBeside ? reasoning : 0);

/** Returns whether no class is larger than the main count that includes it. */
const isPossible = (
  { prompt, answer, cache, reasoning }: CountedTokens,
  { cacheBeside, thoughtBeside }: Places,
): boolean =>
  (cacheBeside || cache <= (prompt ?? cache)) &&
  (thoughtBeside || reasoning <= (answer ?? reasoning));

/**
 * Finds out whether classes are counted inside or beside the main counts, and whether the result fits the reported
 * total. `byName` is what the names of the counts suggest. Another possibility is used if only it fits the total, or if
 * `byName` would make a class larger than the main count that includes the class.
 */
const findPlaces = (counted: CountedTokens, byName: Places, total: number | null) => {
  const { cacheBeside, thoughtBeside } = byName;
  const possible = [
    byName,
    { cacheBeside, thoughtBeside: !thoughtBeside },
    { cacheBeside: !cacheBeside, thoughtBeside },
    { cacheBeside: !cacheBeside, thoughtBeside: !thoughtBeside },
  ].filter((places) => isPossible(counted, places));
  const fitting = possible.find((places) => sumAt(counted, places) === total);
  return { places: fitting ?? possible[0] ?? byName, fits: fitting !== undefined };
};

const addTo = (count: number | null, more: number): number | null =>
  count === null ? null : count + more;

/** Returns whether a reported total differs from the sum of two known counts. */
const isOtherThan = (total: number | null, prompt: number | null, answer: number | null): boolean =>
  total !== null && total > 0 && prompt !== null && answer !== null && total !== prompt + answer;

/** Returns a usage whose main counts include all classes. */
export const splitUsage = (
  usage: Fields,
  input: number | null,
  output: number | null,
): SplitUsage => {
  const simple = simpleClasses(usage, input, output);
  if (simple !== null) return { input, output, classes: simple, isOff: false };
  const { classes, byName } = readClasses(usage);
  const prompt = input === null ? null : input + toolPromptIn(usage);
  // Gemini leaves out the answer's count if the model only wrote reasoning.
  const answer = output === null && byName.thoughtBeside ? 0 : output;
  const { cached = 0, cacheWrite = 0, reasoning = 0 } = classes;
  const cache = cached + cacheWrite;
  const total = totalIn(usage);
  const { places, fits } = findPlaces({ prompt, answer, cache, reasoning }, byName, total);
  const added = [places.cacheBeside ? cache : 0, places.thoughtBeside ? reasoning : 0] as const;
  return {
    input: addTo(prompt, added[0]),
    output: addTo(answer, added[1]),
    classes,
    isOff: !fits && isOtherThan(total, prompt, answer),
  };
};
