import { routes } from '../contract/routes.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { TrafficOf } from '../model/traffic.ts';
import type { Asked } from '../model/workload.ts';
import type { Tools } from './kind.ts';
import { askedOf } from './token-demand.ts';

/** `undefined` where the prompt was not made of so many tokens. */
export type AskedTokens = number | undefined;

type ChatTraffic = TrafficOf<'chat' | 'chat-stream'>;

/** A request that was written, and what its body was made of beside its entry and its messages. */
interface Written {
  readonly maxTokens: number | null;
  readonly withUsage: boolean;
  readonly request: WireRequest;
}

/** The last request of each conversation, for as long as there is the conversation. */
type LastWritten = WeakMap<Asked['messages'], Written>;
const written = new WeakMap<ChatTraffic, LastWritten>();

const writtenOf = (traffic: ChatTraffic): LastWritten => {
  const there = written.get(traffic);
  if (there !== undefined) return there;
  const fresh: LastWritten = new WeakMap();
  written.set(traffic, fresh);
  return fresh;
};

/** What a request says beside its entry. */
type Said = Pick<Asked, 'messages'> & Omit<Written, 'request'>;

/** The entry's further body fields come last, so that they win over everything but `stream`, which is the kind's own. */
const write = (traffic: ChatTraffic, { messages, maxTokens, withUsage }: Said): WireRequest => {
  const isStream = traffic.kind === 'chat-stream';
  const { stream: _, ...further } = traffic.body;
  const body = {
    model: traffic.model,
    messages,
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(isStream ? { stream: true } : {}),
    ...(withUsage ? { stream_options: { include_usage: true } } : {}),
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

/**
 * The request of both kinds of chat (interface 4.1): a conversation drawn from the entry's. With it,
 * how many tokens its prompt was made to have.
 */
export const chatRequest = (
  traffic: ChatTraffic,
  tools: Tools,
): { readonly request: WireRequest; readonly asked: AskedTokens } => {
  const { memory } = tools;
  const isStream = traffic.kind === 'chat-stream';
  const { stream } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    memory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind decides it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const { messages, maxTokens, tokens } = askedOf(traffic, tools);
  const withUsage = isStream && memory.usage !== 'refused';
  // Definitions of tools are counted among the prompt's tokens.
  const asked = traffic.body['tools'] === undefined ? tokens : undefined;
  // A conversation that stands in the plan is asked again and again.
  const known = Array.isArray(traffic.conversations) ? writtenOf(traffic) : null;
  const before = known?.get(messages);
  if (before?.maxTokens === maxTokens && before.withUsage === withUsage) {
    return { request: before.request, asked };
  }
  const request = write(traffic, { messages, maxTokens, withUsage });
  known?.set(messages, { maxTokens, withUsage, request });
  return { request, asked };
};
