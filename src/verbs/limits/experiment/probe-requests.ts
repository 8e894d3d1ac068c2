import { routes } from '../../../contract/routes.ts';
import type { WireRequest } from '../../../model/observation/exchange.ts';
import type { ProbeReply, ProbeRequest } from '../../../model/limits/limit-log.ts';
import { encodeForm } from '../../../traffic/request/multipart.ts';

/** The models for a probe; `null` if the target offers none. */
export interface ProbeModels {
  readonly chat: string;
  /** Another chat model, to see whether it has a limit of its own. */
  readonly otherChat: string | null;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly voice: string;
  /** All models of the target, in its order. */
  readonly listed: readonly string[];
  /** What the headers of the list declare for a minute; `null` for what they do not say, absent where they say nothing. */
  readonly declared?: Readonly<Record<'requests' | 'tokens', number | null>>;
}

/** A request of a probe before authorization. */
export interface PreparedProbeRequest {
  readonly request: WireRequest;
  readonly asked: ProbeReply['asked'];
  /** When to abort it: as soon as it is sent, or with the first bytes of the body. */
  readonly giveUp: 'sent' | 'answering' | null;
  /** Whether to use a key that does not exist. */
  readonly wrongKey: boolean;
}

const json = { 'content-type': 'application/json', accept: 'application/json' };

const shortPrompt = 'Say yes.';
const longPrompt = `Say yes. ${'Nothing of this matters. '.repeat(60)}`;
/** Enough to distinguish a reservation of `max_tokens` from the tokens used, and cheap. */
const longerAnswer = 40;

const plain = (request: WireRequest): PreparedProbeRequest => ({
  request,
  asked: null,
  giveUp: null,
  wrongKey: false,
});

interface ChatParts {
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly stream?: boolean;
  readonly model?: string;
  readonly temperature?: number;
}

const chat = ({ chat: model }: ProbeModels, parts: ChatParts = {}): PreparedProbeRequest => {
  const { prompt = shortPrompt, maxTokens = 1, stream = false } = parts;
  const body = {
    model: parts.model ?? model,
    messages: [{ role: 'user', content: prompt }],
    max_tokens: maxTokens,
    ...(stream ? { stream } : {}),
    ...(parts.temperature === undefined ? {} : { temperature: parts.temperature }),
  };
  return {
    request: { ...routes.chat, headers: json, body: Buffer.from(JSON.stringify(body)) },
    asked: { characters: prompt.length, maxTokens },
    giveUp: null,
    wrongKey: false,
  };
};

const silentClip = { rate: 16_000, seconds: 0.1 };

/** A tenth of a second of silence: RIFF/WAVE, 16 bits, mono. */
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

/** Builds each request of a probe; `null` if the target does not offer it. */
export const probeRequestBuilders = {
  chat,
  'chat-stream': (models) => chat(models, { stream: true }),
  models: () => plain({ ...routes.models, headers: { accept: json.accept }, body: null }),
  speech,
  transcription,
  'other-model': (models) =>
    models.otherChat === null ? null : chat(models, { model: models.otherChat }),
  'long-prompt': (models) => chat(models, { prompt: longPrompt }),
  'longer-answer': (models) => chat(models, { maxTokens: longerAnswer }),
  'bad-parameter': (models) => chat(models, { temperature: 9 }),
  'unknown-model': (models) => chat(models, { model: 'weir/no-such-model' }),
  'unknown-path': () => plain({ method: 'GET', path: '/no-such-path', headers: {}, body: null }),
  'wrong-key': (models) => ({ ...chat(models), wrongKey: true }),
  'abandoned-early': (models) => ({ ...chat(models, { stream: true }), giveUp: 'sent' }),
  'abandoned-late': (models) => ({
    ...chat(models, { stream: true, maxTokens: longerAnswer }),
    giveUp: 'answering',
  }),
} as const satisfies Record<ProbeRequest, (models: ProbeModels) => PreparedProbeRequest | null>;
