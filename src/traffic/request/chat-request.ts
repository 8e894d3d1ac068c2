import { routes } from '../../contract/routes.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import { filledHeaders } from '../../model/plan/secret.ts';
import type { PrepareContext, PreparedRequest } from '../traffic-handler.ts';
import { type FirstAnswer, firstAnswerTo } from './same-prompts.ts';
import { type PromptFacts, rememberPrompt } from './sent-prompts.ts';
import { chatSizeOf, filledBody, drawChatPrompt } from './token-demand.ts';

type ChatTraffic = TrafficOf<'chat' | 'chat-stream'>;

interface RequestOptions {
  readonly maxTokens: number | null;
  readonly withUsage: boolean;
}

type PreparedChat = Pick<PreparedRequest, 'request' | 'ownHeaders' | 'size'>;

/** The last request of each entry. The map releases the request when the entry is no longer used. */
type KnownRequests = WeakMap<ChatTraffic, RequestOptions & { readonly prepared: PreparedChat }>;
/** The last requests of each conversation. The map releases the requests when the conversation is no longer used. */
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
 * Builds the request. The entry's further body fields are added last, so they override all fields except `stream`,
 * which the traffic kind sets.
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
 * Prepares the request of both kinds of chat (interface, section 4.1), and returns the request with facts about its
 * prompt. The conversation is drawn from the conversations of the entry.
 */
export const chatRequest = (
  traffic: ChatTraffic,
  prepareContext: PrepareContext,
): {
  readonly prepared: PreparedChat;
  readonly prompt: PromptFacts;
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
  // Definitions of tools also count as tokens of the prompt. With tools, the number of tokens that the prompt should
  // have is therefore unknown.
  const asked = traffic.body['tools'] === undefined ? tokens : undefined;
  const withFacts = (prepared: PreparedChat, first: FirstAnswer | undefined) => ({
    prepared,
    prompt: {
      asked,
      sent: rememberPrompt(targetMemory, traffic, content, prepared.size!.characters),
      first,
    },
  });
  if (own !== undefined) {
    const fields = { ...traffic.body, ...own.body };
    const body = filledBody(fields, values);
    const size = chatSizeOf(content, fields);
    const request = buildRequest(traffic, messages, { maxTokens, withUsage }, body);
    const ownHeaders = filledHeaders(own.headers, values());
    const prepared = { request, ownHeaders, size };
    return withFacts(prepared, undefined);
  }
  const known = requests.get(messages);
  const last = known?.get(traffic);
  if (last?.maxTokens === maxTokens && last.withUsage === withUsage)
    return withFacts(last.prepared, firstAnswerTo(targetMemory, traffic, messages));
  const body = filledBody(traffic.body, values);
  const request = buildRequest(traffic, messages, { maxTokens, withUsage }, body);
  const prepared = { request, size: chatSizeOf(content, traffic.body) };
  if (!Array.isArray(traffic.conversations) || body !== traffic.body)
    return withFacts(prepared, undefined);
  // A conversation in the plan is sent many times, so the request is stored for the next time.
  requests.set(messages, (known ?? new WeakMap()).set(traffic, { maxTokens, withUsage, prepared }));
  return withFacts(prepared, firstAnswerTo(targetMemory, traffic, messages));
};
