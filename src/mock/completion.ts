import type { Draw } from '../model/draw.ts';
import { words } from './words.ts';

/** What a model says: its tokens as text, and why it ended. */
export interface Completion {
  readonly tokens: readonly string[];
  readonly finish: 'stop' | 'length';
}

/** What a request asks of its answer's length: `maxTokens` is met exactly, without it `length` is drawn from evenly. */
export interface Wish {
  readonly maxTokens: number | null;
  readonly length: { readonly min: number; readonly max: number };
  readonly stops: readonly string[];
}

/** Each word with the space before it, which is a token. */
const spaced = words.map((word) => ` ${word}`);

const whole = (draw: Draw, choices: number): number => Math.floor(draw.uniform() * choices);

/** The tokens before position `end` of their text; the last one may be a part of its word. */
const cutAt = (tokens: readonly string[], end: number): readonly string[] => {
  const kept: string[] = [];
  let position = 0;
  for (const token of tokens) {
    if (position >= end) break;
    kept.push(token.slice(0, end - position));
    position += token.length;
  }
  return kept;
};

/** An answer drawn word by word; it ends before the first of the stop sequences that occurs in it. */
export const complete = (draw: Draw, { maxTokens, length, stops }: Wish): Completion => {
  const count = maxTokens ?? length.min + whole(draw, length.max - length.min + 1);
  const tokens = Array.from({ length: count }, () => spaced[whole(draw, spaced.length)]!);
  const text = stops.length === 0 ? '' : tokens.join('');
  const ends = stops.map((stop) => text.indexOf(stop)).filter((position) => position >= 0);
  if (ends.length > 0) return { tokens: cutAt(tokens, Math.min(...ends)), finish: 'stop' };
  return { tokens, finish: maxTokens === null ? 'stop' : 'length' };
};
