import { servedModelListSchema } from '../../contract/models.ts';
import { routes } from '../../contract/routes.ts';
import type { Traffic, TrafficKind } from '../../model/workload/traffic.ts';
import { readJsonAnswer } from '../answer/whole-body.ts';
import { chat } from './chat.ts';
import { chatStream } from './chat-stream.ts';
import { maskEchoes } from '../answer/mask-echoes.ts';
import type { TrafficHandler, PreparedRequest, PrepareContext } from '../traffic-handler.ts';
import { speech } from './speech.ts';
import { transcription } from './transcription.ts';

const modelListHeaders = { accept: 'application/json', 'accept-encoding': 'identity' };
const modelListFormat = { name: 'a model list', schema: servedModelListSchema };

/** Handles requests for the list of models (interface, section 4.2). */
const models: TrafficHandler<'models'> = {
  prepare: () => ({
    request: {
      ...routes.models,
      headers: modelListHeaders,
      body: null,
    },
    read: (context) =>
      readJsonAnswer(context, modelListFormat, ({ data }, firstByte) => ({
        kind: 'models',
        firstByte,
        models: data.length,
        notes: [],
      })),
  }),
};

const handlers = {
  chat,
  'chat-stream': chatStream,
  speech,
  transcription,
  models,
} as const satisfies { readonly [K in TrafficKind]: TrafficHandler<K> };

export const prepareRequest = (
  traffic: Traffic,
  prepareContext: PrepareContext,
): PreparedRequest => {
  // The type of the table guarantees that the row fits the kind of `traffic`, but the compiler cannot infer this.
  const kind = handlers[traffic.kind] as TrafficHandler<TrafficKind>;
  const prepared = kind.prepare(traffic, prepareContext);
  const { request, read } = prepared;
  return {
    ...prepared,
    read: (context) => read({ ...context, redact: maskEchoes(request, context.redact) }),
  };
};
