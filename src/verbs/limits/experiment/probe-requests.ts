import { routes } from '../../../contract/routes.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { ProbeReply, ProbeRequest } from '../../../model/limits/limit-log.ts';
import { encodeForm } from '../../../traffic/request/multipart.ts';

/** The limits that the headers of a model list declare. */
export interface DeclaredQuota {
  /** The limits per minute; `null` for a limit that the headers do not name. */
  readonly requests: number | null;
  readonly tokens: number | null;
  /** Limits of longer windows, in words such as `1,000 requests a day`. */
  readonly longer: readonly string[];
  /** The limits whose headers name no period, in words. For these limits, a minute is assumed. */
  readonly assumed: readonly string[];
  /** The families of the headers, such as `openai`; empty for the headers of the interface. */
  readonly families: readonly string[];
}

/** The models for a probe; `null` for a kind of model that the target does not offer. */
export interface ProbeModels {
  readonly chat: string;
  /**
   * Another chat model, to test whether that model has its own limit; `null` if the target lists only one chat
   * model.
   */
  readonly otherChat: string | null;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly voice: string;
  /** All models of the target, in the order of its list. */
  readonly listed: readonly string[];
  /** What the list says about each model besides its name; absent if the list has only names. */
  readonly details?: ReadonlyMap<string, ModelDetails>;
  /** The limits that the list's headers declare; absent if the headers declare no limit. */
  readonly declared?: DeclaredQuota;
}

/** The prices of a million tokens, in micro-units of the currency. */
export interface ListedPrice {
  readonly input: number;
  readonly output: number;
  /** The price of input from a cache; absent if the price is unknown. */
  readonly cached?: number;
}

/** What a list of models says about one model. */
export interface ModelDetails {
  /** The largest context in tokens. */
  readonly context: number | null;
  readonly price: ListedPrice | null;
}

export interface PreparedProbeRequest {
  readonly request: WireRequest;
  readonly asked: ProbeReply['asked'];
  /** When the client aborts the request: as soon as the request is sent, or at the first bytes of the body. */
  readonly giveUp: 'sent' | 'answering' | null;
  readonly wrongKey: boolean;
}

const json = { 'content-type': 'application/json', accept: 'application/json' };
const shortPrompt = 'Say yes.';
const longPrompt = `Say yes. ${'Nothing of this matters. '.repeat(60)}`;
/**
 * The number of tokens of a longer answer: few enough to be cheap, and enough to distinguish a reservation of
 * `max_tokens` from the tokens used.
 */
const longerAnswer = 40;

const plain = (request: WireRequest): PreparedProbeRequest => ({
  request,
  asked: null,
  giveUp: null,
  wrongKey: false,
});

const chat = (
  { chat: model }: ProbeModels,
  { prompt = shortPrompt, maxTokens = 1 } = {},
  fields: Readonly<Record<string, unknown>> = {},
): PreparedProbeRequest => {
  const messages = [{ role: 'user', content: prompt }];
  const body = { model, messages, max_tokens: maxTokens, ...fields };
  const request = { ...routes.chat, headers: json, body: Buffer.from(JSON.stringify(body)) };
  return { ...plain(request), asked: { characters: prompt.length, maxTokens } };
};

const silentClip = { rate: 16_000, seconds: 0.1 };

/** Returns a WAV file with 0.1 s of silence: 16 bits, mono. */
const silentWav = (): Buffer => {
  const bytes = silentClip.rate * silentClip.seconds * 2;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(silentClip.rate, 24);
  head.writeUInt32LE(silentClip.rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
};

const speech = ({ speech: model, voice }: ProbeModels): PreparedProbeRequest | null =>
  model === null
    ? null
    : plain({
        ...routes.speech,
        headers: json,
        body: Buffer.from(JSON.stringify({ model, input: 'Yes.', voice, response_format: 'mp3' })),
      });

const transcription = ({ transcription: model }: ProbeModels): PreparedProbeRequest | null => {
  if (model === null) return null;
  const { contentType, body } = encodeForm({
    fields: [['model', model]],
    file: { field: 'file', name: 'silence.wav', contentType: 'audio/wav', bytes: silentWav() },
  });
  return plain({ ...routes.transcription, headers: { 'content-type': contentType }, body });
};

/**
 * The functions that build the requests of a probe. A function returns `null` if the target has no model for its
 * request.
 */
export const probeRequestBuilders = {
  chat: (models) => chat(models),
  'chat-stream': (models) => chat(models, {}, { stream: true }),
  models: () => plain({ ...routes.models, headers: { accept: json.accept }, body: null }),
  speech,
  transcription,
  'other-model': (models) =>
    models.otherChat === null ? null : chat(models, {}, { model: models.otherChat }),
  'long-prompt': (models) => chat(models, { prompt: longPrompt }),
  'longer-answer': (models) => chat(models, { maxTokens: longerAnswer }),
  'bad-parameter': (models) => chat(models, {}, { temperature: 9 }),
  'unknown-model': (models) => chat(models, {}, { model: 'weir/no-such-model' }),
  'unknown-path': () => plain({ method: 'GET', path: '/no-such-path', headers: {}, body: null }),
  'wrong-key': (models) => ({ ...chat(models), wrongKey: true }),
  'abandoned-early': (models) => ({ ...chat(models, {}, { stream: true }), giveUp: 'sent' }),
  'abandoned-late': (models) => ({
    ...chat(models, { maxTokens: longerAnswer }, { stream: true }),
    giveUp: 'answering',
  }),
} as const satisfies Record<ProbeRequest, (models: ProbeModels) => PreparedProbeRequest | null>;
