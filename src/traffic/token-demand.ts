import { tokensFrom } from '../model/distribution.ts';
import { mostOutput, type Traffic, type TrafficOf } from '../model/traffic.ts';
import type { Asked } from '../model/workload.ts';
import type { Tools } from './kind.ts';

/** What a request may use of a limit on tokens, known before it is sent. */
export interface TokenDemand {
  /** Characters of everything that the model reads. */
  readonly characters: number;
  /** The most tokens that it may write, as far as anything bounds it. */
  readonly output: number;
}

/** What a request's content is drawn with. */
export type Drawing = Pick<Tools, 'draw' | 'ask'>;

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** What a chat request asks: its first draws. Of tokens the smaller of what the prompt's source and the entry allow. */
export const askedOf = (
  { conversations, maxTokens }: TrafficOf<'chat' | 'chat-stream'>,
  { draw, ask }: Drawing,
): Asked => {
  const asked: Asked = Array.isArray(conversations)
    ? { messages: draw.pick(conversations), maxTokens: null }
    : ask(conversations);
  const most = maxTokens === null ? null : tokensFrom(maxTokens, draw);
  return { ...asked, maxTokens: smaller(asked.maxTokens, most) };
};

/** The demand of the request that is drawn so; `null` for kinds that use no tokens. */
export const tokenDemand = (traffic: Traffic, drawing: Drawing): TokenDemand | null => {
  if (traffic.kind !== 'chat' && traffic.kind !== 'chat-stream') return null;
  const { messages, maxTokens } = askedOf(traffic, drawing);
  const { body } = traffic;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const further = Object.keys(body).length === 0 ? 0 : JSON.stringify(body).length;
  return { characters: characters + further, output: mostOutput({ maxTokens, body }) ?? 0 };
};
