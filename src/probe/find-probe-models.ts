import { jsonIn } from '../traffic/answer/json-text.ts';
import { modelListSchema } from '../contract/models.ts';
import { routes } from '../contract/routes.ts';
import { fetchResponse, type ProbeSession } from './send-probe-request.ts';
import type { ProbeModels } from './probe-requests.ts';

const idsIn = (body: string): readonly string[] =>
  modelListSchema.safeParse(jsonIn(body)).data?.data.map(({ id }) => id) ?? [];

/** Models that answer no chats, by their names. */
const notForChats = /embed|rerank|moderation|image|dall-e|guard|ocr|tts|speech|whisper|transcri/i;

const otherChatOf = (ids: readonly string[], used: readonly (string | null)[]): string | null =>
  ids.find((id) => !used.includes(id) && !notForChats.test(id)) ?? null;

const keyAdvice = 'check the key (--key NAME of an environment variable)';

const advice: Readonly<Record<number, string>> = {
  401: keyAdvice,
  403: keyAdvice,
  404: 'the base address must end in the version, for example https://host/v1',
  429: 'the key is not idle: wait until it is admitted again, or use another one (--key NAME of an environment variable)',
};

/**
 * The models for an examination, from the target's list or `chat`. Resolves to an error message if the
 * list is not available or has no chat model.
 */
export const findProbeModels = async (
  session: ProbeSession,
  credential: string,
  chat: string | undefined,
): Promise<ProbeModels | string> => {
  const request = { ...routes.models, headers: { accept: 'application/json' }, body: null };
  const response = await fetchResponse(session, request, session.keyHeader(credential));
  if (typeof response === 'string') return `the model list could not be read: ${response}`;
  if (response.status !== 200) {
    const { method, path } = routes.models;
    return `the model list (${method} ${path} below the base address) was refused with status ${response.status}: ${advice[response.status] ?? 'check the address and the state of the gateway'}`;
  }
  const ids = idsIn(response.body);
  const speech = ids.find((id) => /tts|speech/i.test(id)) ?? null;
  const transcription = ids.find((id) => /whisper|transcri/i.test(id)) ?? null;
  const chatModel = chat ?? ids.find((id) => id !== speech && id !== transcription);
  return chatModel === undefined
    ? 'the model list has no chat model: name one with --model PUBLISHER/MODEL'
    : {
        chat: chatModel,
        otherChat: otherChatOf(ids, [chatModel, speech, transcription]),
        speech,
        transcription,
        voice: 'Emily.wav',
        listed: ids,
      };
};
