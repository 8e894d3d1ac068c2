import { routes } from '../../contract/routes.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import { filledHeaders } from '../../model/plan/secret.ts';
import type { PrepareContext, PreparedRequest } from '../traffic-handler.ts';
import { chatSizeOf, filledBody, isTemplateBody, drawChatPrompt } from './token-demand.ts';

/** The number of tokens with which the prompt was generated; `undefined` for any other prompt. */
export type RequestedPromptTokens = number | undefined;

type ChatTraffic = TrafficOf<'chat' | 'chat-stream'>;

/** The options on which the body of a request depends besides its entry and messages. */
interface RequestOptions {
  readonly maxTokens: number | null;
  readonly withUsage: boolean;
}

/** The last request of each entry. */
type KnownRequests = Map<ChatTraffic, RequestOptions & { readonly request: WireRequest }>;
/** The last requests of each conversation, as long as it exists. */
const requests = new WeakMap<ChatContent['messages'], KnownRequests>();

const headersOf = {
  chat: {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  },
  'chat-stream': {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
  },
} as const;

/**
 * Builds the request. The entry's further body fields come last, so that they override everything except `stream`,
 * which the kind sets.
 */
const buildRequest = (
  traffic: ChatTraffic,
  messages: ChatContent['messages'],
  { maxTokens, withUsage }: RequestOptions,
  fields: Readonly<Record<string, unknown>>,
): WireRequest => {
  const isStream = traffic.kind === 'chat-stream';
  const { stream: _, ...extraFields } = fields;
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
    headers: headersOf[traffic.kind],
    body: Buffer.from(JSON.stringify(body)),
  };
};

/**
 * Prepares the request of both kinds of chat (interface 4.1): a conversation drawn from those of the entry. It also
 * returns the number of tokens with which its prompt was generated.
 */
export const chatRequest = (
  traffic: ChatTraffic,
  prepareContext: PrepareContext,
): Pick<PreparedRequest, 'request' | 'ownHeaders' | 'size'> & {
  readonly asked: RequestedPromptTokens;
} => {
  const { targetMemory, values } = prepareContext;
  const isStream = traffic.kind === 'chat-stream';
  const { stream } = traffic.body;
  if (stream !== undefined && stream !== isStream) {
    targetMemory.notes.add(
      `The body field \`stream: ${JSON.stringify(stream)}\` of ${traffic.kind} traffic was not sent: the kind sets it. Use the kind ${isStream ? 'chat' : 'chat-stream'} instead.`,
    );
  }
  const content = drawChatPrompt(traffic, prepareContext);
  const { messages, maxTokens, tokens, own } = content;
  const withUsage = isStream && targetMemory.usage !== 'refused';
  // The definitions of tools count as tokens of the prompt.
  const asked = traffic.body['tools'] === undefined ? tokens : undefined;
  if (own !== undefined) {
    const fields = { ...traffic.body, ...own.body };
    const body = filledBody(fields, values);
    const size = chatSizeOf(content, fields);
    const request = buildRequest(traffic, messages, { maxTokens, withUsage }, body);
    const ownHeaders = filledHeaders(own.headers, values());
    return { request, ownHeaders, size, asked };
  }
  const size = chatSizeOf(content, traffic.body);
  // A conversation in the plan is sent many times.
  const isKept = Array.isArray(traffic.conversations) && !isTemplateBody(traffic.body);
  const known: KnownRequests | null = isKept ? (requests.get(messages) ?? new Map()) : null;
  const cached = known?.get(traffic);
  if (cached?.maxTokens === maxTokens && cached.withUsage === withUsage) {
    return { request: cached.request, size, asked };
  }
  const body = filledBody(traffic.body, values);
  const request = buildRequest(traffic, messages, { maxTokens, withUsage }, body);
  if (known !== null) requests.set(messages, known.set(traffic, { maxTokens, withUsage, request }));
  return { request, size, asked };
};
