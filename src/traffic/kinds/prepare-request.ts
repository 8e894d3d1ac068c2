import type { Traffic, TrafficKind } from '../../model/workload/traffic.ts';
import { chat } from './chat.ts';
import { chatStream } from './chat-stream.ts';
import { maskEchoes } from '../answer/mask-echoes.ts';
import type { TrafficHandler, PreparedRequest, PrepareContext } from '../traffic-handler.ts';
import { models } from './models.ts';
import { speech } from './speech.ts';
import { transcription } from './transcription.ts';

const handlers = {
  chat,
  'chat-stream': chatStream,
  speech,
  transcription,
  models,
} as const satisfies { readonly [K in TrafficKind]: TrafficHandler<K> };

/** Prepares the request of one arrival by the traffic kind of its entry. */
export const prepareRequest = (
  traffic: Traffic,
  prepareContext: PrepareContext,
): PreparedRequest => {
  // The compiler cannot see that the row has the entry's kind; the table's type proves it.
  const kind = handlers[traffic.kind] as TrafficHandler<TrafficKind>;
  const { request, read } = kind.prepare(traffic, prepareContext);
  return {
    request,
    read: (context) => read({ ...context, redact: maskEchoes(request, context.redact) }),
  };
};
