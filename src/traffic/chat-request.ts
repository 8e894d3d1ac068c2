import { routes } from '../contract/routes.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { TrafficOf } from '../model/traffic.ts';
import type { Tools } from './kind.ts';
import { askedOf } from './token-demand.ts';

/** `undefined` where the prompt was not made of so many tokens. */
export type AskedTokens = number | undefined;

/**
 * The request of both kinds of chat (interface 4.1): a conversation drawn from the entry's, and the
 * entry's further body fields last, so that they win over everything but `stream`, which is the
 * kind's own. With it, how many tokens its prompt was made to have.
 */
export const chatRequest = (
  traffic: TrafficOf<'chat' | 'chat-stream'>,
  tools: Tools,
): { readonly request: WireRequest; readonly asked: AskedTokens } => {
  const { memory } = tools;
  const isStream = traffic.kind === 'chat-stream';
  const { stream, ...further } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    memory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind decides it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const { messages, maxTokens, tokens } = askedOf(traffic, tools);
  const body = {
    model: traffic.model,
    messages,
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(isStream ? { stream: true } : {}),
    ...(isStream && memory.usage !== 'refused' ? { stream_options: { include_usage: true } } : {}),
    ...further,
  };
  const request = {
    ...routes.chat,
    headers: {
      'content-type': 'application/json',
      accept: isStream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body: Buffer.from(JSON.stringify(body)),
  };
  // Definitions of tools are counted among the prompt's tokens.
  return { request, asked: traffic.body['tools'] === undefined ? tokens : undefined };
};
