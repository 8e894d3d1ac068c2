import { chatDocument } from '../answer/chat-document.ts';
import { isTooComplex, jsonIn, objectOf } from '../answer/json-text.ts';
import { servedChunkSchema, streamEnd } from '../../contract/chat.ts';
import { finishOfChoice, finishOfDocument } from '../answer/finish-reasons.ts';
import { excerpt, readChatError, readErrorLine } from '../answer/read-refusal.ts';
import { readUsage, type UsageReading } from '../answer/read-usage.ts';
import { writtenBytes } from '../answer/written-bytes.ts';
import { describeSchemaErrors } from '../answer/whole-body.ts';

export interface ChoiceReading {
  readonly index: number;
  /**
   * The content of the choice. `visible`: content, a refusal or a tool call. `reasoning`: only reasoning. `nothing`:
   * only a role, a finish reason, or empty or null fields.
   */
  readonly carries: CarriedContent;
  readonly finish: string | null;
}
export type CarriedContent = 'visible' | 'reasoning' | 'nothing';

export type ChatChunkReading =
  | {
      readonly kind: 'chunk';
      readonly choices: readonly ChoiceReading[];
      /** The finish reason at the top of the event, which ends all choices that continue; `null` if there is none. */
      readonly finish: string | null;
      readonly usage: UsageReading | null;
      /**
       * The maximum number of bytes that the model wrote; NaN if the event contains a tool call or audio, whose tokens
       * are unknown.
       */
      readonly written: number;
    }
  | { readonly kind: 'error'; readonly message: string }
  /** Valid JSON that is neither a chunk nor an error. Weir tolerates such an event. */
  | { readonly kind: 'other'; readonly fields: readonly string[] }
  | { readonly kind: 'unreadable'; readonly detail: string };

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/**
 * Returns whether a content part or a fragment of a tool call contains a non-empty text in any field other than `type`
 * and `signature`.
 */
const hasText = (fragment: unknown): boolean => {
  if (typeof fragment !== 'object' || fragment === null) return isText(fragment);
  // `textsIn` would find the same texts, but its generator for each field would take a tenth of the time that reading
  // an event takes. The recursion is as deep as the document, and `jsonIn` limits the depth of documents.
  return Object.entries(fragment).some(
    ([name, value]) => name !== 'type' && name !== 'signature' && hasText(value),
  );
};

type Choice = NonNullable<ReturnType<typeof servedChunkSchema.parse>['choices']>[number];

/** Returns whether a content part has a type that users do not see. The names of such types differ between servers. */
const isReasoningPart = (part: unknown): boolean =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  typeof part.type === 'string' &&
  /thinking|reasoning/.test(part.type);

/**
 * Returns what the content of a delta carries. The content is a text or a list of parts. A list is visible if any part
 * with a text is visible.
 */
const carriedByContent = (content: unknown): CarriedContent => {
  if (!Array.isArray(content)) return isText(content) ? 'visible' : 'nothing';
  const filled = content.filter(hasText);
  if (filled.length === 0) return 'nothing';
  return filled.every(isReasoningPart) ? 'reasoning' : 'visible';
};

/**
 * The names of the reasoning field, in this order: in vLLM, OpenRouter and Groq; in DeepSeek, SGLang and Moonshot; in
 * OpenRouter and MiniMax; in Ollama and similar servers; in LiteLLM (two names).
 */
export const reasoningNames =
  'reasoning reasoning_content reasoning_details thinking thinking_content thinking_blocks'.split(
    ' ',
  );

/**
 * Returns the kind of content in a choice. Some servers send a message or a text instead of a delta, as in a whole
 * answer. Perplexity sends both a delta and a message; in this case, only the delta counts.
 */
const carriedBy = (choice: Choice): CarriedContent => {
  if (choice.delta === undefined && isText(choice['text'])) return 'visible';
  const delta: Fields | null = choice.delta ?? objectOf(choice['message']);
  if (delta === null) return 'nothing';
  const content = carriedByContent(delta['content']);
  if (content === 'visible' || isText(delta['refusal'])) return 'visible';
  // `function_call` is the older name of a tool call.
  if (hasText(delta['tool_calls']) || hasText(delta['function_call'])) return 'visible';
  // The chunks of audio models (OpenAI's guide on audio) have a transcript or audio instead of content.
  if (hasText(delta['audio'])) return 'visible';
  return reasoningNames.some((name) => hasText(delta[name])) ? 'reasoning' : content;
};

/**
 * Returns whether the data of an event ends the stream. Instead of `[DONE]`, some servers write `[done]` or `"[DONE]"`.
 */
export const isStreamEnd = (data: string): boolean => {
  const text = data.trim();
  return text === streamEnd || (text.length <= 8 && /^"?\[?done\]?"?$/i.test(text));
};

/** Returns the kind of content in an event. An event is visible if any choice has visible content. */
export const carriedByEvent = (choices: readonly ChoiceReading[]): CarriedContent =>
  (['visible', 'reasoning'] as const).find((content) =>
    choices.some(({ carries }) => carries === content),
  ) ?? 'nothing';

/** Returns whether a choice has the form that `servedChunkSchema` requires. */
const isServedChoice = (choice: unknown): choice is Choice => {
  const fields = objectOf(choice);
  const delta = fields?.['delta'] ?? null;
  if (delta === null) return fields !== null;
  const content = objectOf(delta) === null ? 0 : (objectOf(delta)!['content'] ?? '');
  return typeof content === 'string' || Array.isArray(content);
};

/**
 * Returns the choices of a chunk, or a sentence about what is wrong with the choices. The schema is used only for the
 * sentence, because checking every event with the schema would take a fifth of the time that reading an event takes. A
 * property test checks that the schema and `isServedChoice` agree.
 */
export const servedChoices = (choices: unknown): readonly Choice[] | string => {
  if (choices === undefined || choices === null) return [];
  if (Array.isArray(choices) && choices.every(isServedChoice)) return choices;
  const { error } = servedChunkSchema.safeParse({ choices });
  return error === undefined ? [] : describeSchemaErrors(error);
};

/**
 * Describes data that is not JSON. Most texts are sentences of the server, and are quoted. A text that begins like JSON
 * is not quoted, because it may be a part of an answer.
 */
const notJson = (data: string, redact: (text: string) => string): string =>
  /^\s*(?:data:\s*)*[{["]/.test(data)
    ? 'it is not JSON'
    : `it is not JSON: ${JSON.stringify(excerpt(data, redact))}`;

const unreadable = (detail: string): ChatChunkReading => ({ kind: 'unreadable', detail });

/**
 * The maximum number of values in an event. An event with a complete answer of 1,500 tokens and twenty alternatives for
 * each token has fewer values. Parsing an event with the maximum number of values takes about 20 MB of memory.
 */
const maxValues = 250_000;

/** Reads the parsed document of one event. */
const readChatFields = (json: Fields, redact: (text: string) => string): ChatChunkReading => {
  const fields = chatDocument(json) as Fields;
  const hasChoices = fields['choices'] !== undefined && fields['choices'] !== null;
  const error =
    readChatError(json, redact) ?? (fields === json ? null : readChatError(fields, redact));
  if (error !== null) return { kind: 'error', message: error };
  const served = servedChoices(fields['choices']);
  if (typeof served === 'string') return unreadable(served);
  const usage = readUsage(fields);
  const finish = finishOfDocument(fields);
  if (!hasChoices && usage === null && finish === null)
    return { kind: 'other', fields: Object.keys(json) };
  const choices = served.map((choice, position) => ({
    index: Number.isSafeInteger(choice['index']) ? Number(choice['index']) : position,
    carries: carriedBy(choice),
    finish: finishOfChoice(choice, choice.delta),
  }));
  const written = served.reduce(
    (sum, { delta, message, text }) =>
      sum + writtenBytes(delta) + writtenBytes(message) + writtenBytes(text),
    0,
  );
  return { kind: 'chunk', choices, finish, usage, written };
};

/** Reads the data of one event (interface, section 2.5). `redact` masks secrets in the message of an error. */
export const readChatChunk = (data: string, redact: (text: string) => string): ChatChunkReading => {
  const json = jsonIn(data, maxValues);
  if (json === undefined) {
    const error = readErrorLine(data, redact);
    if (error !== null) return { kind: 'error', message: error };
    return unreadable(
      isTooComplex(data, maxValues)
        ? 'it is JSON, but nests too deep or has too many values for one event'
        : notJson(data, redact),
    );
  }
  // Some servers send `null` to keep a connection alive.
  if (json === null) return { kind: 'other', fields: [] };
  if (typeof json !== 'object' || Array.isArray(json)) {
    const said =
      typeof json === 'string' ? readErrorLine(json, redact) : readChatError(json, redact);
    if (said !== null) return { kind: 'error', message: said };
    return unreadable('it is JSON, but not an object');
  }
  return readChatFields(json as Fields, redact);
};
