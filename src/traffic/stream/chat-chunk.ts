import { isTooComplex, jsonIn, objectOf } from '../answer/json-text.ts';
import { servedChunkSchema } from '../../contract/chat.ts';
import { finishOfChoice } from '../answer/finish-reasons.ts';
import { readChatError, readErrorLine } from '../answer/read-refusal.ts';
import { readUsage, type UsageReading } from '../answer/read-usage.ts';
import { textsIn } from '../answer/texts-in.ts';
import { describeSchemaErrors } from '../answer/whole-body.ts';

export interface ChoiceReading {
  readonly index: number;
  /**
   * The most visible kind of content in the choice. `visible` is content, a refusal or a tool call; `reasoning` means
   * only reasoning; `nothing` means only a role, a finish reason, or empty or null fields.
   */
  readonly carries: CarriedContent;
  readonly finish: string | null;
}
export type CarriedContent = 'visible' | 'reasoning' | 'nothing';

/** One event of a stream, with all quirks of servers resolved. */
export type ChatChunkReading =
  | {
      readonly kind: 'chunk';
      readonly choices: readonly ChoiceReading[];
      readonly usage: UsageReading | null;
    }
  | { readonly kind: 'error'; readonly message: string }
  /** Valid JSON of another kind, which is tolerated. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable'; readonly detail: string };

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Decides whether a content part or a tool call's fragment contains anything besides its position and type. */
const hasText = (fragment: unknown): boolean => {
  for (const text of textsIn(fragment)) if (text !== '') return true;
  return false;
};

type Choice = NonNullable<ReturnType<typeof servedChunkSchema.parse>['choices']>[number];

/** Decides whether a content part is of a type that the user does not see. Servers have different names for it. */
const isReasoningPart = (part: unknown): boolean =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  typeof part.type === 'string' &&
  /thinking|reasoning/.test(part.type);

/** Returns the kind of content, given as a text or as parts. It is visible if any part is. */
const carriedByContent = (content: unknown): CarriedContent => {
  if (!Array.isArray(content)) return isText(content) ? 'visible' : 'nothing';
  const filled = content.filter(hasText);
  if (filled.length === 0) return 'nothing';
  return filled.every(isReasoningPart) ? 'reasoning' : 'visible';
};

/** vLLM, OpenRouter and Groq; DeepSeek, SGLang and Moonshot; OpenRouter and MiniMax; Ollama and its like; LiteLLM. */
const reasoningNames =
  'reasoning reasoning_content reasoning_details thinking thinking_content thinking_blocks'.split(
    ' ',
  );

/** Servers that do not tell chunks from answers send a message or a text instead of a delta. Perplexity sends both, so a delta counts first. */
const carriedBy = (choice: Choice): CarriedContent => {
  if (choice.delta === undefined && isText(choice['text'])) return 'visible';
  const delta: Fields | null = choice.delta ?? objectOf(choice['message']);
  if (delta === null) return 'nothing';
  const content = carriedByContent(delta['content']);
  if (content === 'visible' || isText(delta['refusal'])) return 'visible';
  // `function_call` is the older form of a tool call.
  if (hasText(delta['tool_calls']) || hasText(delta['function_call'])) return 'visible';
  // The chunks of audio models (OpenAI’s guide on audio) have a transcript or sound instead of a content.
  if (hasText(delta['audio'])) return 'visible';
  return reasoningNames.some((name) => hasText(delta[name])) ? 'reasoning' : content;
};

/** Returns the most visible kind of content in any choice of an event. */
export const carriedByEvent = (choices: readonly ChoiceReading[]): CarriedContent =>
  (['visible', 'reasoning'] as const).find((content) =>
    choices.some(({ carries }) => carries === content),
  ) ?? 'nothing';

const unreadable = (detail: string): ChatChunkReading => ({ kind: 'unreadable', detail });

/**
 * The maximum number of values of an event. A complete answer of 1,500 tokens in one event, with twenty alternatives
 * each, has fewer. Parsed, this many take about 20 MB.
 */
const maxValues = 250_000;

/** Reads the data of one event (interface 2.5). `redact` masks the message of an error. */
export const readChatChunk = (data: string, redact: (text: string) => string): ChatChunkReading => {
  const json = jsonIn(data, maxValues);
  if (json === undefined) {
    const error = readErrorLine(data, redact);
    if (error !== null) return { kind: 'error', message: error };
    return unreadable(
      isTooComplex(data, maxValues)
        ? 'it is JSON, but nests too deep or has too many values for one event'
        : 'it is not JSON',
    );
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const inList = Array.isArray(json) ? readChatError(json, redact) : null;
    if (inList !== null) return { kind: 'error', message: inList };
    return unreadable('it is JSON, but not an object');
  }
  const fields = json as Fields;
  const hasChoices = fields['choices'] !== undefined && fields['choices'] !== null;
  const error = readChatError(fields, redact);
  if (error !== null) return { kind: 'error', message: error };
  const parsed = servedChunkSchema.safeParse(fields);
  if (!parsed.success) return unreadable(describeSchemaErrors(parsed.error));
  const usage = readUsage(fields);
  if (!hasChoices && usage === null) return { kind: 'other' };
  const choices = (parsed.data.choices ?? []).map((choice, position) => ({
    index: Number.isSafeInteger(choice['index']) ? Number(choice['index']) : position,
    carries: carriedBy(choice),
    finish: finishOfChoice(choice, choice.delta),
  }));
  return { kind: 'chunk', choices, usage };
};
