import type { Model } from '../../contract/models.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * All models claim to be created at this time (2026-01-01T00:00:00Z, in seconds since 1970). It is fixed, so that equal
 * requests get equal bytes.
 */
export const createdAt = 1_767_225_600;

/** Returns the ids of all models: first the models for chat, and then the two models for audio (interface 2.1). */
const idsOf = ({ models, speech, transcription }: Settings): readonly string[] => [
  ...models,
  speech.model,
  transcription.model,
];

const publisherOf = (id: string): string => (id.includes('/') ? id.split('/', 1)[0]! : 'weir');

/** Returns the model list (interface 2.2). */
export const listModels = (settings: Settings): { object: 'list'; data: Model[] } => ({
  object: 'list',
  data: idsOf(settings).map((id) => ({
    id,
    object: 'model',
    created: createdAt,
    owned_by: publisherOf(id),
  })),
});

/** Returns one model of the list by its id, as the OpenAI API does. The interface does not define such requests. */
export const findModel = (id: string, settings: Settings): Model => {
  const model = listModels(settings).data.find((each) => each.id === id);
  if (model !== undefined) return model;
  const message = `The model ${JSON.stringify(id)} does not exist; GET /models lists all models.`;
  throw new RequestRefusal('unknown-model', message);
};

/** Refuses a model that an endpoint does not serve. The status of the refusal is always 404, as in the OpenAI API. */
export const checkModel = (
  model: string,
  servedModels: readonly string[],
  settings: Settings,
): void => {
  if (servedModels.includes(model)) return;
  const name = JSON.stringify(model);
  const message = idsOf(settings).includes(model)
    ? `The model ${name} is not served by this endpoint; it serves ${servedModels.join(', ')}.`
    : `The model ${name} does not exist; GET /models lists all models.`;
  throw new RequestRefusal('unknown-model', message);
};
