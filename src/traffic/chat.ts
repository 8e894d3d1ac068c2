import { type ChatResponse, chatResponseSchema } from '../contract/chat.ts';
import type { ChatAnswer, Tokens } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import type { Price } from '../model/traffic.ts';
import { type AskedTokens, chatRequest } from './chat-request.ts';
import { costOfTokens } from './cost-of-tokens.ts';
import { readJson } from './json-answer.ts';
import type { Kind } from './kind.ts';
import { isCredible } from './usage.ts';

/** Chat completions that come whole (interface 4.1). */
export const chat: Kind<'chat'> = {
  prepare: (traffic, tools) => {
    const { request, asked } = chatRequest(traffic, tools);
    return {
      request,
      read: (context) =>
        readJson(context, {
          name: 'a chat completion',
          schema: chatResponseSchema,
          answer: (completion, firstByte) =>
            answerOf(completion, firstByte, { price: traffic.price, asked }),
        }),
    };
  },
};

const answerOf = (
  completion: ChatResponse,
  firstByte: Instant,
  { price, asked }: { readonly price: Price | null; readonly asked: AskedTokens },
): ChatAnswer | string => {
  const finish = completion.choices[0]?.finish_reason ?? null;
  if (finish === 'error') return 'the chat completion ended with finish_reason "error"';
  const { usage } = completion;
  const unreadable = usage !== null && usage !== undefined && !isCredible(usage);
  const told = tokensOf(unreadable ? { ...completion, usage: null } : completion);
  const tokens = asked === undefined ? told : { ...told, asked };
  const notes = unreadable ? (['usage-unreadable'] as const) : [];
  const cost = costOfTokens(tokens, price);
  return { kind: 'chat', firstByte, tokens, finish, notes, cost };
};

const charactersPerToken = 4;

/** The characters of everything that the model wrote: text, reasoning, refusal, tool calls. */
const charactersOf = ({ choices }: ChatResponse): number =>
  choices
    .flatMap(({ message }) => [
      message.content,
      message['reasoning'],
      message['reasoning_content'],
      message['refusal'],
      message['tool_calls'],
    ])
    .filter((part) => part !== undefined && part !== null)
    .reduce<number>(
      (sum, part) => sum + (typeof part === 'string' ? part : JSON.stringify(part)).length,
      0,
    );

/** Server usage, unless it counts nothing where there is something; else characters / 4. */
const tokensOf = (completion: ChatResponse): Tokens => {
  const { usage } = completion;
  const input = usage?.prompt_tokens ?? null;
  const told = usage?.completion_tokens ?? null;
  if (told !== null && told > 0) return { input, output: told, source: 'usage' };
  const characters = charactersOf(completion);
  return told === 0 && characters === 0
    ? { input, output: 0, source: 'usage' }
    : { input, output: Math.ceil(characters / charactersPerToken), source: 'characters' };
};
