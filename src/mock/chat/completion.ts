import type { Draw } from '../../model/workload/draw.ts';
import type { Settings } from '../settings/settings.ts';
import { randomJsonValue, structuredValue, type StructuredFormat } from './json-value.ts';
import { splitTokens, commonWords } from './tokens.ts';

/** A function that the model may call, with the JSON Schema of its arguments. */
export interface Tool {
  readonly name: string;
  readonly parameters: unknown;
  /** The format of the arguments; `null` if the arguments need not match the schema. */
  readonly strict: StructuredFormat | null;
}

export interface Completion {
  /**
   * The called function; `null` if the answer calls no function. `tokens` are the arguments of the called function or,
   * without a call, the content of the answer.
   */
  readonly toolCall: { readonly id: string; readonly name: string } | null;
  readonly tokens: readonly string[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
}

/**
 * The requested answer. If `maxTokens` is `null`, the length is drawn. A complete tool call is always as long as its
 * arguments.
 */
export interface CompletionOptions {
  readonly maxTokens: number | null;
  readonly stopSequences: readonly string[];
  readonly format: 'text' | 'json' | StructuredFormat;
  /** The answer calls one of these functions. If there are none, `format` decides the answer's content. */
  readonly tools: readonly Tool[];
}

interface DrawnTokens {
  readonly tokens: readonly string[];
  /** Whether the answer was not cut at the maximum number of tokens. */
  readonly isWhole: boolean;
}

/** The words as tokens, each with the space before it. */
const wordTokens = commonWords.map((word) => ` ${word}`);

const randomInteger = (draw: Draw, choices: number): number => Math.floor(draw.uniform() * choices);

const randomWords = (draw: Draw, count: number): string[] => {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(wordTokens[randomInteger(draw, wordTokens.length)]!);
  return tokens;
};

const opening = ['{', '"', 'answer', '"', ':', '"'];
const closing = ['"', '}'];

/**
 * Draws a JSON object of `count` tokens. If `count` is smaller than the tokens of the shortest object, the JSON is
 * truncated.
 */
const randomJsonObject = (draw: Draw, count: number): string[] => {
  const room = Math.max(1, count - opening.length - closing.length);
  return [...opening, ...randomWords(draw, room), ...closing].slice(0, count);
};
const shortestObject = opening.length + 1 + closing.length;

/** Returns the tokens before position `end` of their joint text. The last token may be incomplete. */
const truncateAt = (tokens: readonly string[], end: number): readonly string[] => {
  const kept: string[] = [];
  let position = 0;
  for (const token of tokens) {
    if (position >= end) break;
    kept.push(token.slice(0, end - position));
    position += token.length;
  }
  return kept;
};

/** Returns the tokens of a value's JSON: all tokens, or the first `maxTokens` tokens. */
const jsonTokens = (value: unknown, maxTokens: number | null): DrawnTokens => {
  const all = splitTokens(JSON.stringify(value));
  const tokens = all.slice(0, maxTokens ?? all.length);
  return { tokens, isWhole: tokens.length === all.length };
};

const generateToolCall = (
  draw: Draw,
  tools: readonly Tool[],
  maxTokens: number | null,
): Completion => {
  const { name, parameters, strict } = draw.pick(tools);
  const number = Math.floor(draw.uniform() * 2 ** 48);
  const id = `call_${number.toString(36).padStart(10, '0')}`;
  const value =
    strict === null
      ? randomJsonValue(draw, parameters ?? { type: 'object' })
      : structuredValue(draw, strict);
  const { tokens, isWhole } = jsonTokens(value, maxTokens);
  return { toolCall: { id, name }, tokens, finish: isWhole ? 'tool_calls' : 'length' };
};

const drawnTokens = (
  draw: Draw,
  format: 'text' | 'json',
  maxTokens: number | null,
  length: Settings['outputTokens'],
): DrawnTokens => {
  const randomLength = (): number => length.min + randomInteger(draw, length.max - length.min + 1);
  const count = maxTokens ?? Math.max(randomLength(), format === 'json' ? shortestObject : 0);
  return format === 'json'
    ? { tokens: randomJsonObject(draw, count), isWhole: count >= shortestObject }
    : { tokens: randomWords(draw, count), isWhole: maxTokens === null };
};

/** Draws an answer word by word. The answer ends before the first stop sequence in its text. */
export const generateCompletion = (
  draw: Draw,
  { maxTokens, stopSequences, format, tools }: CompletionOptions,
  length: Settings['outputTokens'],
): Completion => {
  if (tools.length > 0) return generateToolCall(draw, tools, maxTokens);
  const { tokens, isWhole } =
    typeof format === 'object'
      ? jsonTokens(structuredValue(draw, format), maxTokens)
      : drawnTokens(draw, format, maxTokens, length);
  const text = stopSequences.length === 0 ? '' : tokens.join('');
  const stops = stopSequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  if (stops.length > 0) {
    return { toolCall: null, tokens: truncateAt(tokens, Math.min(...stops)), finish: 'stop' };
  }
  return { toolCall: null, tokens, finish: isWhole ? 'stop' : 'length' };
};
