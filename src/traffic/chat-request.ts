import { routes } from '../contract/routes.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { TrafficOf } from '../model/traffic.ts';
import type { Tools } from './kind.ts';
import { conversationOf } from './token-demand.ts';

/**
 * The request of both kinds of chat (interface 4.1): a conversation drawn from the entry's, and the
 * entry's further body fields last, so that they win over everything but `stream`, which is the
 * kind's own.
 */
export const chatRequest = (
  traffic: TrafficOf<'chat' | 'chat-stream'>,
  { draw, memory }: Tools,
): WireRequest => {
  const isStream = traffic.kind === 'chat-stream';
  const { stream, ...further } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    memory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind decides it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const body = {
    model: traffic.model,
    messages: conversationOf(traffic, draw),
    ...(traffic.maxTokens === null ? {} : { max_tokens: traffic.maxTokens }),
    ...(isStream ? { stream: true } : {}),
    ...(isStream && memory.usage !== 'refused' ? { stream_options: { include_usage: true } } : {}),
    ...further,
  };
  return {
    ...routes.chat,
    headers: {
      'content-type': 'application/json',
      accept: isStream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body: Buffer.from(JSON.stringify(body)),
  };
};
