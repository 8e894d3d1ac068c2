import { routes } from '../contract/routes.ts';
import { tokensFrom } from '../model/distribution.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { TrafficOf } from '../model/traffic.ts';
import type { Tools } from './kind.ts';

/** The smaller of what the prompt's source and the entry allow. */
const maxTokensField = (...most: readonly (number | null)[]): { max_tokens?: number } => {
  const least = Math.min(...most.map((tokens) => tokens ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(least) ? { max_tokens: least } : {};
};

/**
 * The request of both kinds of chat (interface 4.1): a conversation drawn from the entry's, and the
 * entry's further body fields last, so that they win over everything but `stream`, which is the
 * kind's own.
 */
export const chatRequest = (
  traffic: TrafficOf<'chat' | 'chat-stream'>,
  tools: Tools,
): WireRequest => {
  const { draw, memory, ask } = tools;
  const isStream = traffic.kind === 'chat-stream';
  const { stream, ...further } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    memory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind decides it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const { conversations } = traffic;
  const asked = Array.isArray(conversations)
    ? { messages: draw.pick(conversations), maxTokens: null }
    : ask(conversations);
  const most = traffic.maxTokens === null ? null : tokensFrom(traffic.maxTokens, draw);
  const body = {
    model: traffic.model,
    messages: asked.messages,
    ...maxTokensField(asked.maxTokens, most),
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
