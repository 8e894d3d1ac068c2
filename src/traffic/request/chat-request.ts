import { routes } from '../../contract/routes.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import type { PrepareContext } from '../traffic-handler.ts';
import { drawChatPrompt } from './token-demand.ts';

/** `undefined` where the prompt was not made of so many tokens. */
export type RequestedPromptTokens = number | undefined;

type ChatTraffic = TrafficOf<'chat' | 'chat-stream'>;

/** A request that was written, and what its body was made of beside its entry and its messages. */
interface CachedRequest {
  readonly maxTokens: number | null;
  readonly withUsage: boolean;
  readonly request: WireRequest;
}

/** The last request of each conversation, for as long as there is the conversation. */
type RequestCache = WeakMap<ChatContent['messages'], CachedRequest>;
const caches = new WeakMap<ChatTraffic, RequestCache>();

const cacheFor = (traffic: ChatTraffic): RequestCache => {
  const existing = caches.get(traffic);
  if (existing !== undefined) return existing;
  const created: RequestCache = new WeakMap();
  caches.set(traffic, created);
  return created;
};

/** What a request says beside its entry. */
type RequestParts = Pick<ChatContent, 'messages'> & Omit<CachedRequest, 'request'>;

/** The entry's further body fields come last, so that they win over everything but `stream`, which is the kind's own. */
const buildRequest = (
  traffic: ChatTraffic,
  { messages, maxTokens, withUsage }: RequestParts,
): WireRequest => {
  const isStream = traffic.kind === 'chat-stream';
  const { stream: _, ...extraFields } = traffic.body;
  const body = {
    model: traffic.model,
    messages,
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(isStream ? { stream: true } : {}),
    ...(withUsage ? { stream_options: { include_usage: true } } : {}),
    ...extraFields,
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
  prepareContext: PrepareContext,
): { readonly request: WireRequest; readonly asked: RequestedPromptTokens } => {
  const { targetMemory } = prepareContext;
  const isStream = traffic.kind === 'chat-stream';
  const { stream } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    targetMemory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind sets it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const { messages, maxTokens, tokens } = drawChatPrompt(traffic, prepareContext);
  const withUsage = isStream && targetMemory.usage !== 'refused';
  // Definitions of tools are counted among the prompt's tokens.
  const asked = traffic.body['tools'] === undefined ? tokens : undefined;
  // A conversation that stands in the plan is asked again and again.
  const known = Array.isArray(traffic.conversations) ? cacheFor(traffic) : null;
  const cached = known?.get(messages);
  if (cached?.maxTokens === maxTokens && cached.withUsage === withUsage) {
    return { request: cached.request, asked };
  }
  const request = buildRequest(traffic, { messages, maxTokens, withUsage });
  known?.set(messages, { maxTokens, withUsage, request });
  return { request, asked };
};
