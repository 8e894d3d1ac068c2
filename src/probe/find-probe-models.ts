import { modelListSchema } from '../contract/models.ts';
import { routes } from '../contract/routes.ts';
import { fetchResponse, type ProbeSession } from './send-probe-request.ts';
import type { ProbeModels } from './probe-requests.ts';

const idsIn = (body: string): readonly string[] => {
  try {
    const read = modelListSchema.safeParse(JSON.parse(body));
    return read.success ? read.data.data.map(({ id }) => id) : [];
  } catch {
    return [];
  }
};

const keyAdvice = 'is the key right (--key NAME of an environment variable)?';

/** What a refusal of the list says to do. */
const advice: Readonly<Record<number, string>> = {
  401: keyAdvice,
  403: keyAdvice,
  404: 'the base address of a gateway ends in its version, for example https://host/v1',
  429: 'the key is not idle: wait until its limits let it in, or take another (--key NAME of an environment variable)',
};

/**
 * The models that an examination can ask, from the target's own list; `chat` is taken where it is
 * given. Resolves to a sentence where the list cannot be had or names no model for chats.
 */
export const findProbeModels = async (
  session: ProbeSession,
  credential: string,
  chat: string | undefined,
): Promise<ProbeModels | string> => {
  const request = { ...routes.models, headers: { accept: 'application/json' }, body: null };
  const response = await fetchResponse(session, request, { authorization: `Bearer ${credential}` });
  if (typeof response === 'string') return `the model list could not be read: ${response}`;
  if (response.status !== 200) {
    const { method, path } = routes.models;
    return `the model list (${method} ${path} below the base address) was refused with status ${response.status}: ${advice[response.status] ?? 'is it the right address, and the gateway well?'}`;
  }
  const ids = idsIn(response.body);
  const speech = ids.find((id) => /tts|speech/i.test(id)) ?? null;
  const transcription = ids.find((id) => /whisper|transcri/i.test(id)) ?? null;
  const chatModel = chat ?? ids.find((id) => id !== speech && id !== transcription);
  return chatModel === undefined
    ? 'the model list names no model for chats: give one with --model PUBLISHER/MODEL'
    : { chat: chatModel, speech, transcription, voice: 'Emily.wav', listed: ids };
};
