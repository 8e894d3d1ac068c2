import { mediaTokens } from '../../contract/content-parts.ts';
import { type Message, textsOfContent } from '../../model/workload/message.ts';
import { drawTokenCount } from '../../model/workload/token-count.ts';
import { fillRequestJson, isRequestTemplate } from '../../model/plan/secret.ts';
import { maxAnswerTokens, type Traffic, type TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatSize } from '../../model/observation/attempt.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import type { PrepareContext } from '../traffic-handler.ts';

type Fields = Readonly<Record<string, unknown>>;

export type DrawContext = Pick<PrepareContext, 'draw' | 'ask'>;

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * Makes the first random draws of a chat request, and returns the content of the chat. The prompt source and the entry
 * may both set a maximum number of answer tokens. The smaller maximum applies.
 */
export const drawChatPrompt = (
  { conversations, maxTokens }: TrafficOf<'chat' | 'chat-stream'>,
  { draw, ask }: DrawContext,
): ChatContent => {
  const prompt: ChatContent = Array.isArray(conversations)
    ? { messages: draw.pick(conversations), maxTokens: null }
    : ask(conversations);
  const most = maxTokens === null ? null : drawTokenCount(maxTokens, draw);
  return { ...prompt, maxTokens: smaller(prompt.maxTokens, most) };
};

interface MessagesDemand {
  readonly characters: number;
  readonly media: number;
}

/**
 * The token demand of prompts that were already measured. Prompts in a plan or a file are sent many times, and reading
 * a long image each time would be slow.
 */
const knownDemands = new WeakMap<readonly Message[], MessagesDemand>();

const demandOf = (messages: readonly Message[]): MessagesDemand => {
  const known = knownDemands.get(messages);
  if (known !== undefined) return known;
  const texts = messages.flatMap(({ content }) => textsOfContent(content));
  const demand = {
    characters: texts.reduce((sum, { length }) => sum + length, 0),
    media: mediaTokensIn(messages),
  };
  knownDemands.set(messages, demand);
  return demand;
};

/** Estimates the tokens of the images and recordings in a conversation. */
export const mediaTokensIn = (messages: readonly Message[]): number =>
  messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .reduce((sum, part) => sum + mediaTokens(part), 0);

const charactersPerMediaToken = 4;

/** For each body, its length as JSON in characters. The length is stored, because a body is sent many times. */
const knownLengths = new WeakMap<object, number>();

const extraCharactersOf = (body: Fields): number => {
  const known = knownLengths.get(body);
  if (known !== undefined) return known;
  const length = Object.keys(body).length === 0 ? 0 : JSON.stringify(body).length;
  knownLengths.set(body, length);
  return length;
};

export const chatSizeOf = ({ messages, maxTokens }: ChatContent, body: Fields): ChatSize => {
  const { characters, media } = demandOf(messages);
  return {
    characters: characters + extraCharactersOf(body) + charactersPerMediaToken * media,
    maxTokens: maxAnswerTokens({ maxTokens, body: body as TrafficOf<'chat'>['body'] }),
  };
};

/** Returns the token demand of a request; `null` for traffic kinds that use no tokens. */
export const tokenDemand = (traffic: Traffic, context: DrawContext) => {
  if (traffic.kind !== 'chat' && traffic.kind !== 'chat-stream') return null;
  const { messages, maxTokens } = drawChatPrompt(traffic, context);
  const { body } = traffic;
  const { characters, media } = demandOf(messages);
  return {
    traffic,
    /** The number of characters of the request that the model reads. */
    characters: characters + extraCharactersOf(body),
    /** The estimated number of tokens of the request's images and recordings. */
    media,
    /** The maximum number of tokens of the answer; 0 without a maximum. */
    output: maxAnswerTokens({ maxTokens, body }) ?? 0,
  };
};

/** How much of a token limit a request can use, as far as this is known before the request is sent. */
export type TokenDemand = NonNullable<ReturnType<typeof tokenDemand>>;

/** Returns the text of a speech request: a drawn text, or the next piece of a split text. */
export const spokenText = (
  { texts, split }: TrafficOf<'speech'>,
  { draw, ordinal }: Pick<PrepareContext, 'draw' | 'ordinal'>,
): string => (split === undefined ? draw.pick(texts) : texts[ordinal() % texts.length]!);

/** For each body, whether the body contains a template. The result is stored, because a body is sent many times. */
const knownBodies = new WeakMap<Fields, boolean>();

/** Returns whether a body contains a template, and therefore differs from request to request. */
const isTemplateBody = (body: Fields): boolean => {
  const known = knownBodies.get(body);
  if (known !== undefined) return known;
  const found = isRequestTemplate(JSON.stringify(body));
  knownBodies.set(body, found);
  return found;
};

/** Fills the templates of a body with the values of a request. */
export const filledBody = (body: Fields, values: PrepareContext['values']): Fields =>
  isTemplateBody(body) ? (fillRequestJson(body, values()) as Fields) : body;
