import type { ChatAnswer, TokenCounts } from '../../model/observation/outcome.ts';
import { type ChatResponse, chatResponseSchema } from '../../contract/chat.ts';
import type { Instant } from '../../model/quantity.ts';
import type { Expectation } from '../../model/workload/expectation.ts';
import type { Price } from '../../model/workload/traffic.ts';
import { type RequestedPromptTokens, chatRequest } from '../request/chat-request.ts';
import { isPlausibleUsage, tokenCost } from '../cost-of-tokens.ts';
import { describeMiss, prepareExpectation } from '../answer/check-expectation.ts';
import { textsIn } from '../answer/texts-in.ts';
import { choicesOfCompletion } from '../answer/written-choices.ts';
import { CompletionTemplate } from '../answer/completion-template.ts';
import { type JsonFormat, readJsonAnswer } from '../answer/whole-body.ts';
import type { TargetMemory, TrafficHandler } from '../traffic-handler.ts';

/** Handles chat completions in one piece (interface 4.1). */
export const chat: TrafficHandler<'chat'> = {
  prepare: (traffic, prepareContext) => {
    const { request, asked } = chatRequest(traffic, prepareContext);
    const { expect, price } = traffic;
    if (expect !== undefined) prepareExpectation(expect);
    return {
      request,
      read: (context) =>
        readJsonAnswer(
          context,
          // A body that equals an earlier answer would not be read, but here its text counts.
          expect === undefined ? formatFor(context.targetMemory) : plainFormat,
          (completion, firstByte) => answerOf(completion, firstByte, { price, asked }),
          expect === undefined ? null : (completion) => missIn(completion, expect),
        ),
    };
  },
};

const missIn = ({ choices }: ChatResponse, expect: Expectation): string | null =>
  describeMiss(expect, choicesOfCompletion(choices), choices[0]?.finish_reason ?? null);

const plainFormat = { name: 'a chat completion', schema: chatResponseSchema };

/** The format of each slice of a run, which learns its own template. */
const formats = new WeakMap<TargetMemory, JsonFormat<ChatResponse>>();

const formatFor = (memory: TargetMemory): JsonFormat<ChatResponse> => {
  const known = formats.get(memory);
  if (known !== undefined) return known;
  const made = { ...plainFormat, template: new CompletionTemplate() };
  formats.set(memory, made);
  return made;
};

const answerOf = (
  completion: ChatResponse,
  firstByte: Instant,
  { price, asked }: { readonly price: Price | null; readonly asked: RequestedPromptTokens },
): ChatAnswer | string => {
  const finish = completion.choices[0]?.finish_reason ?? null;
  if (finish === 'error') return 'the chat completion ended with finish_reason "error"';
  const { usage } = completion;
  const unreadable = usage !== null && usage !== undefined && !isPlausibleUsage(usage);
  const reported = tokensOf(unreadable ? { ...completion, usage: null } : completion);
  const tokens = asked === undefined ? reported : { ...reported, asked };
  const notes = unreadable ? (['usage-unreadable'] as const) : [];
  const cost = tokenCost(tokens, price);
  return { kind: 'chat', firstByte, tokens, finish, notes, cost };
};

const charactersPerToken = 4;

/** Returns the number of characters that the model wrote: text, reasoning, refusal, tool calls. */
const charactersOf = ({ choices }: ChatResponse): number => {
  const written = choices.flatMap(({ message }) =>
    ['reasoning', 'reasoning_content', 'refusal', 'tool_calls'].map((name) => message[name] ?? ''),
  );
  const texts = [
    ...written,
    ...choices.flatMap(({ message: { content } }) => [...textsIn(content)]),
  ];
  const lengths = texts.map(
    (part) => (typeof part === 'string' ? part : JSON.stringify(part)).length,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
};

/** Returns the server's usage. If it counts 0 for an answer with text, characters / 4 are used instead. */
const tokensOf = (completion: ChatResponse): TokenCounts => {
  const { usage } = completion;
  const input = usage?.prompt_tokens ?? null;
  const reported = usage?.completion_tokens ?? null;
  if (reported !== null && reported > 0) return { input, output: reported, source: 'usage' };
  const characters = charactersOf(completion);
  return reported === 0 && characters === 0
    ? { input, output: 0, source: 'usage' }
    : { input, output: Math.ceil(characters / charactersPerToken), source: 'characters' };
};
