import { type ChatResponse, chatResponseSchema } from '../contract/chat.ts';
import type { Tokens } from '../model/observation.ts';
import { chatRequest } from './chat-request.ts';
import { readJson } from './json-answer.ts';
import type { Kind } from './kind.ts';

/** Chat completions that come whole (interface 4.1). */
export const chat: Kind<'chat'> = {
  prepare: chatRequest,
  read: (context) =>
    readJson(context, {
      name: 'a chat completion',
      schema: chatResponseSchema,
      answer: (completion, firstByte) => {
        const finish = completion.choices[0]?.finish_reason ?? null;
        return finish === 'error'
          ? 'the chat completion ended with finish_reason "error"'
          : { kind: 'chat', firstByte, tokens: tokensOf(completion), finish };
      },
    }),
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
  const characters = charactersOf(completion);
  return usage === null || usage === undefined || (usage.completion_tokens === 0 && characters > 0)
    ? { input, output: Math.ceil(characters / charactersPerToken), source: 'characters' }
    : { input, output: usage.completion_tokens, source: 'usage' };
};
