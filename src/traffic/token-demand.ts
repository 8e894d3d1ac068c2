import type { Draw } from '../model/draw.ts';
import { type Message, mostOutput, type Traffic, type TrafficOf } from '../model/traffic.ts';

/** What a request may use of a limit on tokens, known before it is sent. */
export interface TokenDemand {
  /** Characters of everything that the model reads. */
  readonly characters: number;
  /** The most tokens that it may write, as far as anything bounds it. */
  readonly output: number;
}

/** The conversation that a request sends: its first draw. */
export const conversationOf = (
  { conversations }: TrafficOf<'chat' | 'chat-stream'>,
  draw: Draw,
): readonly Message[] => draw.pick(conversations);

/** The demand of the request that `draw` makes; `null` for kinds that use no tokens. */
export const tokenDemand = (traffic: Traffic, draw: Draw): TokenDemand | null => {
  if (traffic.kind !== 'chat' && traffic.kind !== 'chat-stream') return null;
  const messages = conversationOf(traffic, draw);
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const further = Object.keys(traffic.body).length === 0 ? 0 : JSON.stringify(traffic.body).length;
  return { characters: characters + further, output: mostOutput(traffic) ?? 0 };
};
