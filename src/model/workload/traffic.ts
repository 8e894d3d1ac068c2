import { z } from 'zod';
import { expectationSchema } from './expectation.ts';
import { messageSchema } from './message.ts';
import { tokenCountSchema } from './token-count.ts';
import { promptSourceSchema } from './prompt-source.ts';

/** The traffic kinds. Tables by kind satisfy `Record<TrafficKind, …>`, so a new kind must have a row in each. */
export const trafficKinds = ['chat', 'chat-stream', 'speech', 'transcription', 'models'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

const entryFields = {
  /** The weight of the entry: its share of the arrivals, relative to other entries. */
  weight: z.number().positive(),
  /** The name in reports. Unnamed entries of the same kind and model are not distinguished. */
  name: z.string().min(1).optional(),
};

/** The price in micro-units of the currency per million tokens. */
export const priceSchema = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
});
export type Price = z.infer<typeof priceSchema>;

/** Further fields of a request body; their texts may be templates. */
const body = z.record(z.string(), z.json());

const chatFields = {
  ...entryFields,
  model: z.string().min(1),
  /** The conversations from which each request draws one by (seed, stage, index), or the source of the prompts. */
  conversations: z.union([z.array(z.array(messageSchema).min(1)).min(1), promptSourceSchema]),
  /** The maximum number of tokens of an answer; a source can ask for fewer. */
  maxTokens: tokenCountSchema.nullable(),
  body,
  /** The price; `null` if unknown, which makes the cost unknown. */
  price: priceSchema.nullable(),
  expect: expectationSchema.optional(),
};

/** The audio formats of speech answers (interface 4.3). */
export const speechFormats = ['mp3', 'wav', 'opus'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

const speechFields = {
  ...entryFields,
  model: z.string().min(1),
  /** The texts from which each request draws one; pieces are spoken in order, repeatedly. */
  texts: z.array(z.string().min(1)).min(1),
  /** The maximum length of the pieces, in characters; present if the texts are pieces of longer ones. */
  split: z.strictObject({ characters: z.int().positive() }).optional(),
  voice: z.string().min(1),
  format: z.enum(speechFormats),
  speed: z.number().positive().nullable(),
  body,
};

/** The answer formats of transcriptions (interface 4.4). */
export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** An audio file, or a manifest that lists several. */
const clipSourceSchema = z.strictObject({
  /** A path relative to the scenario, of audio or a `.json` manifest; `bundled` is the speech that comes with Weir. */
  file: z.string().min(1),
  /** The true text; `null` if unknown, or if the manifest contains it. */
  text: z.string().nullable(),
});

const transcriptionFields = {
  ...entryFields,
  model: z.string().min(1),
  /** The sources from whose clips each request draws one to upload. */
  clips: z.array(clipSourceSchema).min(1),
  format: z.enum(transcriptFormats),
  language: z.string().min(1).nullable(),
  /** The requested granularities, only with `verbose_json`. */
  granularities: z.array(z.enum(['word', 'segment'])),
  /** Whether files above the interface's 25 MB are sent, to see whether they are refused. */
  oversized: z.boolean(),
  expect: expectationSchema.optional(),
};

/** An entry of a plan's traffic, from which `traffic/` prepares requests. */
export const trafficSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat'), ...chatFields }),
  z.strictObject({ kind: z.literal('chat-stream'), ...chatFields }),
  z.strictObject({ kind: z.literal('speech'), ...speechFields }),
  z.strictObject({ kind: z.literal('transcription'), ...transcriptionFields }),
  z.strictObject({ kind: z.literal('models'), ...entryFields }),
]);
export type Traffic = z.infer<typeof trafficSchema>;
export type TrafficOf<K extends TrafficKind> = Extract<Traffic, { kind: K }>;

export const modelOf = (traffic: Traffic): string | null =>
  'model' in traffic ? traffic.model : null;

const positiveInteger = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;

/** Returns the maximum number of tokens of an answer over all its choices; `null` if unbounded. */
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
