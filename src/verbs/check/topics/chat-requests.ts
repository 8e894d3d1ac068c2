import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import { placesAt } from '../reading/json-fields.ts';
import { type CheckTarget, jsonRequest, type RequestCost } from '../reading/check-case.ts';

/** The chats of the suite: short, since every one of them is paid. */

const question = [{ role: 'user', content: 'Say yes.' }];

/** A small valid chat with some fields changed; `undefined` leaves one out. */
export const chatWith =
  (fields: Readonly<Record<string, unknown>> = {}) =>
  ({ chat: model }: CheckTarget): WireRequest | null =>
    model === null
      ? null
      : jsonRequest('chat', { model, messages: question, max_tokens: 8, ...fields });

/** Upper bounds of a chat's tokens. */
export const chatTokens = (outputTokens: number, inputTokens = 40): Partial<RequestCost> => ({
  inputTokens,
  outputTokens,
});

/** The text of the first choice; empty if it has none. */
export const contentOf = (answer: CheckAnswer): string => {
  const content = placesAt(answer.json, 'choices.*.message.content')[0]?.value;
  return typeof content === 'string' ? content : '';
};
