import { modelListSchema } from '../contract/models.ts';
import { routes } from '../contract/routes.ts';
import { readJson } from './json-answer.ts';
import type { Kind } from './kind.ts';

/** The list of models (interface 4.2). */
export const models: Kind<'models'> = {
  prepare: () => ({
    request: {
      ...routes.models,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      body: null,
    },
    read: (context) =>
      readJson(context, {
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
