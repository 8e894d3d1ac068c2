import type { Traffic, TrafficKind } from '../model/traffic.ts';
import { chat } from './chat.ts';
import { chatStream } from './chat-stream.ts';
import { withoutEchoes } from './echo.ts';
import type { Kind, Prepared, Tools } from './kind.ts';
import { models } from './models.ts';
import { speech } from './speech.ts';
import { transcription } from './transcription.ts';

const kinds = {
  chat,
  'chat-stream': chatStream,
  speech,
  transcription,
  models,
} as const satisfies { readonly [K in TrafficKind]: Kind<K> };

/** The request of one arrival: the entry's own kind prepares it, what varies is drawn. */
export const prepare = (traffic: Traffic, tools: Tools): Prepared => {
  // The compiler cannot see that the table's row is of the entry's own kind; the table's type proves it.
  const kind = kinds[traffic.kind] as Kind<TrafficKind>;
  const { request, read } = kind.prepare(traffic, tools);
  return {
    request,
    read: (context) => read({ ...context, redact: withoutEchoes(request, context.redact) }),
  };
};
