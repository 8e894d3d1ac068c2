import { modelListSchema } from '../../contract/models.ts';
import { routes } from '../../contract/routes.ts';
import { readJsonAnswer } from '../answer/json-answer.ts';
import type { TrafficHandler } from '../traffic-handler.ts';

/** The list of models (interface 4.2). */
export const models: TrafficHandler<'models'> = {
  prepare: () => ({
    request: {
      ...routes.models,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      body: null,
    },
    read: (context) =>
      readJsonAnswer(context, {
        name: 'a model list',
        schema: modelListSchema,
        answer: ({ data }, firstByte) => ({
          kind: 'models',
          firstByte,
          models: data.length,
          notes: [],
        }),
      }),
  }),
};
