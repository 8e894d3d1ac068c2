import { mp3Frames, opusFile, wavFile } from '../../traffic/audio/sample-audio.fixture.ts';
import type { ScenarioInput } from '../../library/library.ts';

/** What an attack is: the bytes and the behaviour of a hostile server, and what Weir may make of them. */

/** The requests that a run sends: each traffic kind, and speech in every container. */
export const requestForms = [
  'chat',
  'chat-stream',
  'speech',
  'speech-wav',
  'speech-opus',
  'transcription',
  'models',
] as const;
export type RequestForm = (typeof requestForms)[number];

/** One form for each traffic kind. */
export const mainForms = ['chat', 'chat-stream', 'speech', 'transcription', 'models'] as const;

/** The traffic of a scenario that sends only such requests. */
export const entryOf = (form: RequestForm): NonNullable<ScenarioInput['traffic']>[number] => {
  switch (form) {
    case 'chat':
    case 'chat-stream':
      return { kind: form, model: 'm', maxTokens: 5, prompt: 'Say yes.' };
    case 'speech':
    case 'speech-wav':
    case 'speech-opus':
      return {
        kind: 'speech',
        model: 's',
        text: 'Hello.',
        format: form === 'speech' ? 'mp3' : form === 'speech-wav' ? 'wav' : 'opus',
      };
    case 'transcription':
      return { kind: 'transcription', model: 't' };
    case 'models':
      return { kind: 'models' };
  }
};

/** One action of a server on its connection. */
export type AttackStep =
  | string
  | Buffer
  /** Written again and again, as fast as the client reads, until it closes the connection. */
  | { readonly repeat: string | Buffer; readonly times: number }
  /** One byte for each turn of the event loop. */
  | { readonly bytewise: string | Buffer }
  /** One byte every 100 ms until the client closes the connection. */
  | { readonly drip: string }
  | { readonly end: 'close' | 'reset' };

export interface Attack {
  readonly name: string;
  /** Which requests are answered like this. */
  readonly forms: readonly RequestForm[];
  /** After the last step the server keeps the connection open and is silent. */
  readonly steps: (form: RequestForm) => readonly AttackStep[];
  /** The allowed outcomes: a kind (`completed`), or a kind with its cause or issue (`broken reset`). */
  readonly outcomes: readonly string[];
  /** What else undici may make of it: it judges some heads later, and bounds fewer of them. */
  readonly byUndici: readonly string[];
}

export type AttackFamily =
  | 'status lines'
  | 'heads'
  | 'chunked coding'
  | 'bodies'
  | 'event streams'
  | 'JSON'
  | 'depth'
  | 'timing'
  | 'audio'
  | 'limits';

/** The most bytes that one endless answer sends; no client reads as many. */
const endless = 64 * 1024 * 1024;

export const close: AttackStep = { end: 'close' };
export const reset: AttackStep = { end: 'reset' };

export const flood = (piece: string | Buffer, most = endless): AttackStep => {
  const bytes = Buffer.from(piece as string);
  const perWrite = Math.max(1, Math.floor(16_384 / bytes.length));
  const repeat = Buffer.concat(Array.from({ length: perWrite }, () => bytes));
  return { repeat, times: Math.ceil(most / repeat.length) };
};

export const sseData = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;

export const tokenEvent = sseData({ choices: [{ index: 0, delta: { content: 'a' } }] });
export const lastEvents = `${sseData({
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}data: [DONE]\n\n`;

const chatAnswer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

interface ProperAnswer {
  readonly type: string;
  readonly body: Buffer;
}

const json = (value: unknown): ProperAnswer => ({
  type: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
});

/** The answer of a proper server to each form. */
export const properAnswers: Readonly<Record<RequestForm, ProperAnswer>> = {
  chat: json(chatAnswer),
  'chat-stream': {
    type: 'text/event-stream',
    body: Buffer.from(tokenEvent + tokenEvent + lastEvents),
  },
  speech: { type: 'audio/mpeg', body: mp3Frames(20) },
  'speech-wav': { type: 'audio/wav', body: wavFile(8000) },
  'speech-opus': { type: 'audio/ogg', body: opusFile(20) },
  transcription: json({ text: 'the gate is open' }),
  models: json({
    object: 'list',
    data: [{ id: 'm', object: 'model', created: 1, owned_by: 'weir' }],
  }),
};

/** The status line and the usual fields of an answer; it ends within the head, for more fields. */
export const headFor = (form: RequestForm, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${properAnswers[form].type}\r\nconnection: close\r\n`;

/** The proper body with its length, after the fields of a head. */
export const framed = (body: string | Buffer): Buffer => {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([Buffer.from(`content-length: ${bytes.length}\r\n\r\n`), bytes]);
};

export const chunked = 'transfer-encoding: chunked\r\n\r\n';

export const chunkOf = (body: string | Buffer): Buffer => {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
};

/** A proper head with more fields, and the proper body. */
export const withFields =
  (fields: string): Attack['steps'] =>
  (form) => [headFor(form) + fields, framed(properAnswers[form].body)];

/** Another status line, then the proper rest. */
export const withStatusLine =
  (line: string): Attack['steps'] =>
  (form) => [`${line}connection: close\r\n`, framed(properAnswers[form].body), close];

/** Another body behind a proper head. */
export const withBody =
  (body: string | Buffer, fields = ''): Attack['steps'] =>
  (form) => [headFor(form) + fields, framed(body)];

/** Declares many attacks on the same forms. */
export const attacksOn = (
  forms: readonly RequestForm[],
  rows: Readonly<
    Record<
      string,
      readonly [outcomes: readonly string[], steps: Attack['steps'], byUndici?: readonly string[]]
    >
  >,
): readonly Attack[] =>
  Object.entries(rows).map(([name, [outcomes, steps, byUndici = []]]) => ({
    name,
    forms,
    outcomes,
    steps,
    byUndici,
  }));

/** Arrays within arrays. */
export const nested = (levels: number, inner = '"x"'): string =>
  '['.repeat(levels) + inner + ']'.repeat(levels);
