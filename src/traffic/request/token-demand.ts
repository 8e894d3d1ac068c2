import { drawTokenCount } from '../../model/workload/token-count.ts';
import { maxAnswerTokens, type Traffic, type TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import type { PrepareContext } from '../traffic-handler.ts';

export type DrawContext = Pick<PrepareContext, 'draw' | 'ask'>;

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The first draws of a chat request; its token limit is the smaller of the prompt source's and the entry's. */
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

/** The token demand of a drawn request; `null` for traffic kinds that use no tokens. */
export const tokenDemand = (traffic: Traffic, context: DrawContext) => {
  if (traffic.kind !== 'chat' && traffic.kind !== 'chat-stream') return null;
  const { messages, maxTokens } = drawChatPrompt(traffic, context);
  const { body } = traffic;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const extraCharacters = Object.keys(body).length === 0 ? 0 : JSON.stringify(body).length;
  return {
    traffic,
    /** Characters that the model reads. */
    characters: characters + extraCharacters,
    /** The most tokens that it can write; 0 without a bound. */
    output: maxAnswerTokens({ maxTokens, body }) ?? 0,
  };
};

/** What a request can use of a token limit, known before it is sent. */
export type TokenDemand = NonNullable<ReturnType<typeof tokenDemand>>;

/** The text of a speech request: a drawn text, or the next piece of a split text. */
export const spokenText = (
  { texts, split }: TrafficOf<'speech'>,
  { draw, ordinal }: Pick<PrepareContext, 'draw' | 'ordinal'>,
): string => (split === undefined ? draw.pick(texts) : texts[ordinal() % texts.length]!);
