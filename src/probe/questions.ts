import { routes } from '../contract/routes.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { ProbeReply, ProbeRequest } from '../model/limit-log.ts';
import { encodeForm } from '../traffic/multipart.ts';

/** Whom the probe may ask; `null` for what the target does not offer. */
export interface Subject {
  readonly chat: string;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly voice: string;
  /** All that the target lists, in its order. */
  readonly models: readonly string[];
}

/** A request of a probe before it is signed. */
export interface Question {
  readonly request: WireRequest;
  readonly asked: ProbeReply['asked'];
  /** When it is given up: as soon as it was sent, or with the first bytes of its body. */
  readonly giveUp: 'sent' | 'answering' | null;
  /** Whether it is signed with a key that does not exist. */
  readonly wrongKey: boolean;
}

const json = { 'content-type': 'application/json', accept: 'application/json' };

const shortPrompt = 'Say yes.';
const longPrompt = `Say yes. ${'Nothing of this matters. '.repeat(60)}`;
/** Enough to tell a reservation of `max_tokens` from what was used, and cheap. */
const longerAnswer = 40;

const plain = (request: WireRequest): Question => ({
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

const chat = ({ chat: model }: Subject, parts: ChatParts = {}): Question => {
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

const silence = { rate: 16_000, seconds: 0.1 };

/** A tenth of a second of silence: RIFF/WAVE, 16 bits, mono. */
const clip = (): Buffer => {
  const bytes = silence.rate * silence.seconds * 2;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(silence.rate, 24);
  head.writeUInt32LE(silence.rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
};

const speech = ({ speech: model, voice }: Subject): Question | null =>
  model === null
    ? null
    : plain({
        ...routes.speech,
        headers: json,
        body: Buffer.from(JSON.stringify({ model, input: 'Yes.', voice, response_format: 'mp3' })),
      });

const transcription = ({ transcription: model }: Subject): Question | null => {
  if (model === null) return null;
  const { contentType, body } = encodeForm({
    fields: [['model', model]],
    file: { field: 'file', name: 'silence.wav', contentType: 'audio/wav', bytes: clip() },
  });
  return plain({ ...routes.transcription, headers: { 'content-type': contentType }, body });
};

/** How each request of a probe is made; `null` where the target offers no such thing. */
export const questions = {
  chat,
  'chat-stream': (subject) => chat(subject, { stream: true }),
  models: () => plain({ ...routes.models, headers: { accept: json.accept }, body: null }),
  speech,
  transcription,
  'long-prompt': (subject) => chat(subject, { prompt: longPrompt }),
  'longer-answer': (subject) => chat(subject, { maxTokens: longerAnswer }),
  'bad-parameter': (subject) => chat(subject, { temperature: 9 }),
  'unknown-model': (subject) => chat(subject, { model: 'weir/no-such-model' }),
  'unknown-path': () => plain({ method: 'GET', path: '/no-such-path', headers: {}, body: null }),
  'wrong-key': (subject) => ({ ...chat(subject), wrongKey: true }),
  'abandoned-early': (subject) => ({ ...chat(subject, { stream: true }), giveUp: 'sent' }),
  'abandoned-late': (subject) => ({
    ...chat(subject, { stream: true, maxTokens: longerAnswer }),
    giveUp: 'answering',
  }),
} as const satisfies Record<ProbeRequest, (subject: Subject) => Question | null>;
