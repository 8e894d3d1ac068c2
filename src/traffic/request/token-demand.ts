import { drawTokenCount } from '../../model/workload/token-count.ts';
import { maxAnswerTokens, type Traffic, type TrafficOf } from '../../model/workload/traffic.ts';
import type { ChatContent } from '../../model/workload/workload.ts';
import type { PrepareContext } from '../traffic-handler.ts';

/** What a request may use of a limit on tokens, known before it is sent. */
export interface TokenDemand {
  /** Characters of everything that the model reads. */
  readonly characters: number;
  /** The most tokens that it may write, as far as anything bounds it. */
  readonly output: number;
}

/** What a request's content is drawn with. */
export type DrawContext = Pick<PrepareContext, 'draw' | 'ask'>;

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** What a chat request asks: its first draws. Of tokens the smaller of what the prompt's source and the entry allow. */
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

/** The demand of the request that is drawn so; `null` for kinds that use no tokens. */
export const tokenDemand = (traffic: Traffic, context: DrawContext): TokenDemand | null => {
  if (traffic.kind !== 'chat' && traffic.kind !== 'chat-stream') return null;
  const { messages, maxTokens } = drawChatPrompt(traffic, context);
  const { body } = traffic;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const extraCharacters = Object.keys(body).length === 0 ? 0 : JSON.stringify(body).length;
  return {
    characters: characters + extraCharacters,
    output: maxAnswerTokens({ maxTokens, body }) ?? 0,
  };
};
