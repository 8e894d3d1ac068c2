import { parsedJson } from '../../../model/parsed-json.ts';
import { speechFormats, transcriptFormats } from '../../../model/workload/traffic.ts';
import { conversation } from '../../../scenario/schema/message-schema.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { givenFields, type ImportedFile } from './imported.ts';

interface FormPart {
  readonly name: string;
  readonly file: string | null;
  readonly bytes: Buffer;
}

const parameter = (text: string, name: string): string | null => {
  const [, quoted, plain] =
    new RegExp(`[;\\s]${name}=(?:"([^"]*)"|([^;\\s]*))`, 'i').exec(text) ?? [];
  return quoted ?? plain ?? null;
};

/** Reads the parts of a form (RFC 7578, RFC 2046 section 5.1.1); `null` if the body is not a form. */
const readMultipart = (contentType: string, body: Uint8Array): readonly FormPart[] | null => {
  const boundary = parameter(contentType, 'boundary');
  if (!/^multipart\/form-data/i.test(contentType) || boundary === null || boundary === '')
    return null;
  // Each byte becomes one character, so that positions in the text are also positions in the body.
  const text = `\r\n${Buffer.from(body).toString('latin1')}`;
  const [, ...pieces] = text.split(`\r\n--${boundary}`);
  if (pieces.pop()?.startsWith('--') !== true) return null;
  const parts = pieces.map((piece): FormPart | null => {
    const [, head = '', content] = /^[ \t]*\r\n([^]*?\r\n)\r\n([^]*)$/.exec(piece) ?? [];
    const disposition =
      /^content-disposition:(.*)$/im.exec(Buffer.from(head, 'latin1').toString())?.[1] ?? '';
    const name = parameter(disposition, 'name');
    if (name === null || content === undefined) return null;
    return {
      name,
      file: parameter(disposition, 'filename'),
      bytes: Buffer.from(content, 'latin1'),
    };
  });
  return parts.includes(null) ? null : (parts as FormPart[]);
};

type ReadEntry =
  | {
      readonly ok: true;
      readonly entry: Readonly<Record<string, unknown>>;
      /** Sentences about the differences between the requests of Weir and of vegeta. */
      readonly changes: readonly string[];
      readonly file?: ImportedFile;
    }
  | { readonly ok: false; readonly problem: string };

/** A request without its address: its route, its content type and its body. */
export interface EntrySource {
  readonly contentType: string;
  readonly body: Uint8Array | null;
}

type Fields = Readonly<Record<string, unknown>>;

const jsonOf = (body: Uint8Array | null): Fields => {
  const parsed = parsedJson(Buffer.from(body ?? []).toString());
  return isMapping(parsed) ? parsed : {};
};

const bodyFields = (rest: Fields) => (Object.keys(rest).length > 0 ? { body: rest } : {});

const chatContent = (messages: unknown): Fields | null => {
  if (!conversation.safeParse(messages).success) return null;
  const [first, ...others] = messages as readonly { role: string; content: unknown }[];
  const isPlain = others.length === 0 && first?.role === 'user' && first.content !== '';
  return isPlain ? { prompt: first.content } : { messages };
};

const numbersOf = (
  json: Fields,
  known: Readonly<Record<string, readonly [field: string, least: number, most: number]>>,
) => {
  const own: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, [field, least, most]] of Object.entries(known)) {
    const value = json[name];
    const isCount = field !== 'maxTokens' || Number.isInteger(value);
    if (typeof value === 'number' && value >= least && value <= most && isCount) own[field] = value;
    else body[name] = value;
  }
  return { own, body: givenFields(body) };
};

const chatEntry = ({ body }: EntrySource): ReadEntry => {
  const json = jsonOf(body);
  const { model, messages, stream, max_tokens: _, temperature: __, top_p: ___, ...rest } = json;
  if (typeof model !== 'string' || model === '') {
    return { ok: false, problem: 'the body is not JSON with a "model"' };
  }
  if (![undefined, null, true, false].includes(stream as boolean | null | undefined))
    return { ok: false, problem: 'its "stream" is neither true nor false' };
  const content = chatContent(messages);
  if (content === null) {
    const problem =
      'messages have roles system, user or assistant, and text, images or audio as content';
    return { ok: false, problem };
  }
  const isStream = stream === true;
  const numbers = numbersOf(json, {
    max_tokens: ['maxTokens', 1, 10_000_000],
    temperature: ['temperature', 0, 2],
    top_p: ['topP', 0, 1],
  });
  const entry = {
    kind: isStream ? 'chat-stream' : 'chat',
    model,
    ...content,
    ...numbers.own,
    ...bodyFields({ ...numbers.body, ...rest }),
  };
  const usage = 'streams ask for their usage, too (stream_options.include_usage)';
  const asksAnyway = !isStream || rest['stream_options'] !== undefined;
  return { ok: true, entry, changes: asksAnyway ? [] : [usage] };
};

const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T =>
  (values as readonly unknown[]).includes(value);

const speechEntry = ({ body }: EntrySource): ReadEntry => {
  const json = jsonOf(body);
  const { model, input, voice, response_format: format = 'mp3', speed, ...rest } = json;
  if (typeof model !== 'string' || typeof input !== 'string' || input === '') {
    return { ok: false, problem: 'the body is not JSON with "model" and "input"' };
  }
  if (!isOneOf(speechFormats, format)) {
    return { ok: false, problem: `audio formats are ${speechFormats.join(', ')}` };
  }
  const pace = numbersOf({ speed }, { speed: ['speed', 0.25, 4] });
  const own = givenFields({ kind: 'speech', model, text: input, voice, format, ...pace.own });
  const changes = [
    ...(voice === undefined ? ['the voice is Emily.wav, since the target names none'] : []),
    ...(json['response_format'] === undefined ? ['response_format: mp3 is written out'] : []),
  ];
  return { ok: true, entry: { ...own, ...bodyFields({ ...pace.body, ...rest }) }, changes };
};

/** Returns the fields of a transcription as fields of a traffic entry; `null` if an entry cannot have all of them. */
const transcriptionFields = (fields: readonly (readonly [string, string])[]): Fields | null => {
  const entry: Record<string, unknown> = { format: 'json' };
  const granularities = [];
  for (const [name, value] of fields) {
    if (name === 'model' && value !== '') entry['model'] = value;
    else if (name === 'language') entry['language'] = value;
    else if (name === 'response_format' && isOneOf(transcriptFormats, value))
      entry['format'] = value;
    else if (name.startsWith('timestamp_granularities')) granularities.push(value);
    else return null;
  }
  if (entry['model'] === undefined) return null;
  return { ...entry, ...(granularities.length > 0 ? { granularities } : {}) };
};

const transcriptionEntry = ({ body, contentType }: EntrySource): ReadEntry => {
  const parts = readMultipart(contentType, body ?? new Uint8Array());
  const upload = parts?.find(({ name, file }) => name === 'file' && file !== null);
  if (parts === null || upload === undefined) {
    return { ok: false, problem: 'the body is not a form (multipart/form-data) with a "file"' };
  }
  const texts = parts.filter((part) => part !== upload);
  const fields = transcriptionFields(texts.map(({ name, bytes }) => [name, bytes.toString()]));
  if (fields === null) {
    const problem =
      'the fields of the form are model, language, response_format and timestamp_granularities[]';
    return { ok: false, problem };
  }
  const name = (upload.file ?? '').replaceAll(/[^\w.-]+/g, '_').replace(/^[.-]+/, '') || 'clip.wav';
  const entry = { kind: 'transcription', clips: name, ...fields };
  const isWritten = texts.some((part) => part.name === 'response_format');
  const changes = isWritten ? [] : ['response_format: json is written out'];
  return { ok: true, entry, changes, file: { name, bytes: upload.bytes } };
};

/** The readers for the routes of OpenAI's API, chosen by method and by the end of the path. */
export const entryReaders: readonly {
  readonly method: string;
  readonly path: string;
  readonly read: (source: EntrySource) => ReadEntry;
}[] = [
  { method: 'POST', path: '/chat/completions', read: chatEntry },
  { method: 'POST', path: '/audio/speech', read: speechEntry },
  { method: 'POST', path: '/audio/transcriptions', read: transcriptionEntry },
  {
    method: 'GET',
    path: '/models',
    read: () => ({ ok: true, entry: { kind: 'models' }, changes: [] }),
  },
];
