import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { readDeclaredLimits } from '../../../traffic/limits/declared-limits.ts';
import { servedModelListSchema } from '../../../contract/models.ts';
import { routes } from '../../../contract/routes.ts';
import { fetchResponse, type ProbeSession } from './send-probe-request.ts';
import { modelDetails } from './model-details.ts';
import type { ProbeModels } from './probe-requests.ts';

/** Matches the names and types of models that cannot answer chats. */
const notForChats = /embed|rerank|moderation|image|dall-e|guard|ocr|tts|speech|whisper|transcri/i;

/**
 * Reads a list of models. Returns the ids of all models and the ids of the chat models; `null` if the body is not a
 * list of models.
 */
const idsIn = (body: string) => {
  const models = servedModelListSchema.safeParse(jsonIn(body)).data?.data;
  if (models === undefined) return null;
  const chats = models.filter(({ id, type }) => !notForChats.test(`${id} ${String(type)}`));
  const details = new Map(
    chats
      .map((model) => [model.id, modelDetails(model)] as const)
      .filter(([, { context, price }]) => context !== null || price !== null),
  );
  return { all: models.map(({ id }) => id), chats: chats.map(({ id }) => id), details };
};

const noIds: NonNullable<ReturnType<typeof idsIn>> = { all: [], chats: [], details: new Map() };

const modelsFrom = (
  { all, chats, details }: typeof noIds,
  chat: string | undefined,
): ProbeModels | null => {
  const speech = all.find((id) => /tts|speech/i.test(id)) ?? null;
  const transcription = all.find((id) => /whisper|transcri/i.test(id)) ?? null;
  const chatModel =
    chat ?? chats[0] ?? all.find((id) => id !== speech && id !== transcription) ?? null;
  if (chatModel === null) return null;
  const otherChat = chats.find((id) => id !== chatModel) ?? null;
  const others = { otherChat, speech, transcription, voice: 'Emily.wav', listed: all };
  return { chat: chatModel, ...others, ...(details.size > 0 ? { details } : {}) };
};

/** Returns the models that a body lists; `null` if neither the body nor `chat` names a chat model. */
export const listedModels = (body: string, chat: string | undefined): ProbeModels | null =>
  modelsFrom(idsIn(body) ?? noIds, chat);

const withoutList = [404, 405, 501];

/**
 * The advice for a target that answers chats but lists no models. Every verb that needs the list has the options
 * `--model` and `--no-preflight`.
 */
const withoutIt =
  'if only the list is refused, do without it: --model PUBLISHER/MODEL --no-preflight';
export const keyAdvice = `check the key (--key NAME of an environment variable); ${withoutIt}`;

const advice: Readonly<Record<number, string>> = {
  401: keyAdvice,
  403: keyAdvice,
  404: 'the base address ends in its version, once, for example https://host/v1; if it does, name a chat model with --model PUBLISHER/MODEL',
  429: 'the key is not idle: wait until it is admitted again, or use another one (--key NAME of an environment variable)',
};

/** Adds to `models` the limits that the headers of an answer declare. */
const withDeclared = (
  models: ProbeModels,
  headers: Readonly<Record<string, string>>,
): ProbeModels => {
  const found = readDeclaredLimits(headers);
  if (found === null) return models;
  const { limitRequests = null, limitTokens = null } = found.quota ?? {};
  const { families, longer } = found;
  const assumed = found.assumed.map(({ text }) => text);
  return {
    ...models,
    declared: { requests: limitRequests, tokens: limitTokens, longer, families, assumed },
  };
};

/**
 * Returns the models of a target, or a sentence that says why no models are known. Calls `onMissing` if the request for
 * the list gets a 404.
 */
export const findProbeModels = async (
  session: ProbeSession,
  credential: string,
  chat: string | undefined,
  onMissing?: () => Promise<void>,
): Promise<ProbeModels | string> => {
  const request = { ...routes.models, headers: { accept: 'application/json' }, body: null };
  const response = await fetchResponse(session, request, session.keyHeader(credential));
  if (typeof response === 'string') return `the model list could not be read: ${response}`;
  if (response.status === 404) await onMissing?.();
  const { method, path } = routes.models;
  const place = `the model list (${method} ${path} below the base address)`;
  const hasNone = chat !== undefined && withoutList.includes(response.status);
  if (response.status !== 200 && !hasNone) {
    return `${place} was refused with status ${response.status}: ${advice[response.status] ?? `check the address and the state of the gateway; ${withoutIt}`}`;
  }
  const ids = idsIn(response.body);
  if (ids === null && chat === undefined) {
    return `${place} cannot be read: expected {"data": [{"id": …}]}; name a chat model with --model PUBLISHER/MODEL`;
  }
  const models = modelsFrom(ids ?? noIds, chat);
  if (models === null)
    return 'the model list has no chat model: name one with --model PUBLISHER/MODEL';
  return withDeclared(models, response.headers);
};
