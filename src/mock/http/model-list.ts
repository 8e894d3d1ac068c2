import type { Model } from '../../contract/models.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * When everything here was created: 2026-01-01T00:00:00Z as a Unix timestamp. It does not move, so
 * that the same request gets the same bytes at any time.
 */
export const createdAt = 1_767_225_600;

/** The ids of all models: those for chat, then the two for audio (interface 2.1). */
const idsOf = ({ models, speech, transcription }: Settings): readonly string[] => [
  ...models,
  speech.model,
  transcription.model,
];

/** What stands before the slash; an id without one is the mock's own. */
const publisherOf = (id: string): string =>
  id.includes('/') ? id.slice(0, id.indexOf('/')) : 'weir';

/** The model list (interface 2.2). */
export const listModels = (settings: Settings): { object: 'list'; data: Model[] } => ({
  object: 'list',
  data: idsOf(settings).map((id) => ({
    id,
    object: 'model',
    created: createdAt,
    owned_by: publisherOf(id),
  })),
});

/** Why an endpoint that serves the models `served` does not serve this one, or `null` if it does; 404 either way, as the OpenAI API does. */
export const checkModel = (
  model: string,
  servedModels: readonly string[],
  settings: Settings,
): RequestRefusal | null => {
  if (servedModels.includes(model)) return null;
  const name = JSON.stringify(model);
  const message = idsOf(settings).includes(model)
    ? `The model ${name} is not for this endpoint, which serves ${servedModels.join(', ')}.`
    : `The model ${name} does not exist; GET /models lists those that do.`;
  return { cause: 'unknown-model', message };
};
