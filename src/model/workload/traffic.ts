import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { promptSourceSchema } from './prompt-source.ts';

/**
 * The closed set of traffic kinds. A kind is one row in each table that is keyed by it
 * (`satisfies Record<TrafficKind, …>`), so the compiler names every place a new kind must fill.
 */
export const trafficKinds = ['chat', 'chat-stream', 'speech', 'transcription', 'models'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

/** One message of a chat request (interface 2.3). */
export const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

const entryFields = {
  /** The share of the arrivals that this entry gets, relative to the other entries' weights. */
  weight: z.number().positive(),
  /** What reports call the entry; entries of one kind and model without names are not told apart. */
  name: z.string().min(1).optional(),
};

/** What a model's tokens cost, in micro-units of the currency for each million tokens. */
export const priceSchema = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
});
export type Price = z.infer<typeof priceSchema>;

/** Further fields of a request body, sent as they stand. */
const body = z.record(z.string(), z.json());

const chatFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request sends one of these, drawn evenly by (seed, stage, index); or where prompts come from else. */
  conversations: z.union([z.array(z.array(messageSchema).min(1)).min(1), promptSourceSchema]),
  /** The most tokens of the answer; a source that wants fewer is heeded. */
  maxTokens: tokenCountSchema.nullable(),
  body,
  /** `null` when the scenario names none: the cost is then unknown. */
  price: priceSchema.nullable(),
};

/** The audio formats of speech answers (interface 4.3). */
export const speechFormats = ['mp3', 'wav', 'opus'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

const speechFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request speaks one of these texts, drawn evenly; pieces in their order, again and again. */
  texts: z.array(z.string().min(1)).min(1),
  /** The texts are pieces of longer ones, each of at most so many characters. Absent: they are not. */
  split: z.strictObject({ characters: z.int().positive() }).optional(),
  voice: z.string().min(1),
  format: z.enum(speechFormats),
  speed: z.number().positive().nullable(),
  body,
};

/** The answer formats of transcriptions (interface 4.4). */
export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** What the reader of a transcription is to hear: a file of audio, or a manifest that lists several. */
const clipSourceSchema = z.strictObject({
  /** A path from the scenario's folder; a `.json` file is a manifest; `bundled` the speech that comes with Weir. */
  file: z.string().min(1),
  /** The true text, for the word error rate; `null` when unknown. A manifest knows its own. */
  text: z.string().nullable(),
});

const transcriptionFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request uploads one clip, drawn evenly from all that these name. */
  clips: z.array(clipSourceSchema).min(1),
  format: z.enum(transcriptFormats),
  language: z.string().min(1).nullable(),
  /** Asked for with `verbose_json` only. */
  granularities: z.array(z.enum(['word', 'segment'])),
  /** Whether files above the interface's 25 MB are sent all the same, to see them refused. */
  oversized: z.boolean(),
};

/**
 * What one entry of a plan's traffic mix asks for: the kind, its weight and its own fields. The
 * scenario compiles into it, `traffic/` prepares requests from it.
 */
export const trafficSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat'), ...chatFields }),
  z.strictObject({ kind: z.literal('chat-stream'), ...chatFields }),
  z.strictObject({ kind: z.literal('speech'), ...speechFields }),
  z.strictObject({ kind: z.literal('transcription'), ...transcriptionFields }),
  z.strictObject({ kind: z.literal('models'), ...entryFields }),
]);
export type Traffic = z.infer<typeof trafficSchema>;
export type TrafficOf<K extends TrafficKind> = Extract<Traffic, { kind: K }>;

/** The model an entry asks for; `null` for kinds that name none. */
export const modelOf = (traffic: Traffic): string | null =>
  'model' in traffic ? traffic.model : null;

const positiveInteger = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;

/** The most tokens that an answer to a chat entry may have, over all its choices; `null` where nothing bounds it. */
export const maxAnswerTokens = ({
  maxTokens,
  body: fields,
}: Pick<TrafficOf<'chat'>, 'body'> & { readonly maxTokens: number | null }): number | null => {
  const most =
    positiveInteger(fields['max_completion_tokens']) ??
    positiveInteger(fields['max_tokens']) ??
    maxTokens;
  return most === null ? null : most * (positiveInteger(fields['n']) ?? 1);
};
