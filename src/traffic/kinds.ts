import type { Draw } from '../model/draw.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { Traffic, TrafficKind } from '../model/traffic.ts';
import { chat } from './chat.ts';
import { chatStream } from './chat-stream.ts';
import type { AnswerReader, Kind, Memory, ReadingContext } from './kind.ts';
import { models } from './models.ts';

const kinds = {
  chat,
  'chat-stream': chatStream,
  models,
} as const satisfies { readonly [K in TrafficKind]: Kind<K> };

/** The request of one arrival: the entry's own kind prepares it, what varies is drawn. */
export const prepareRequest = (traffic: Traffic, draw: Draw, memory: Memory): WireRequest => {
  // The compiler cannot see that the table's row is of the entry's own kind; the table's type proves it.
  const kind = kinds[traffic.kind] as Kind<TrafficKind>;
  return kind.prepare(traffic, draw, memory);
};

/** A new reader for one answer to a request of this kind. */
export const readerFor = (kind: TrafficKind, context: ReadingContext): AnswerReader =>
  kinds[kind].read(context);
