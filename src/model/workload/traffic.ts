import { z } from 'zod';
import { expectationSchema } from './expectation.ts';
import { messageSchema } from './message.ts';
import { tokenCountSchema } from './token-count.ts';
import { promptSourceSchema } from './prompt-source.ts';

/** The traffic kinds. Tables by kind satisfy `Record<TrafficKind, …>`, so a new kind must have a row in each. */
export const trafficKinds = ['chat', 'chat-stream', 'speech', 'transcription', 'models'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

const entryFields = {
  /** Its share of the arrivals, relative to the other entries. */
  weight: z.number().positive(),
  /** Its name in reports. Unnamed entries of one kind and model are not told apart. */
  name: z.string().min(1).optional(),
};

/** Micro-units of the currency for each million tokens. */
export const priceSchema = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
});
export type Price = z.infer<typeof priceSchema>;

/** Further fields of a request body, whose texts may be templates. */
const body = z.record(z.string(), z.json());

const chatFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request sends one of these, drawn by (seed, stage, index); or where prompts come from. */
  conversations: z.union([z.array(z.array(messageSchema).min(1)).min(1), promptSourceSchema]),
  /** The maximum tokens of an answer; a source can ask for fewer. */
  maxTokens: tokenCountSchema.nullable(),
  body,
  /** `null` if unknown, as the cost then is. */
  price: priceSchema.nullable(),
  expect: expectationSchema.optional(),
};

/** The audio formats of speech answers (interface 4.3). */
export const speechFormats = ['mp3', 'wav', 'opus'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

const speechFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request speaks one of these, drawn; pieces in order, repeatedly. */
  texts: z.array(z.string().min(1)).min(1),
  /** Present if the texts are pieces of longer ones, each of at most so many characters. */
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
  /** The true text; `null` if unknown or in the manifest. */
  text: z.string().nullable(),
});

const transcriptionFields = {
  ...entryFields,
  model: z.string().min(1),
  /** Each request uploads one clip, drawn from all sources. */
  clips: z.array(clipSourceSchema).min(1),
  format: z.enum(transcriptFormats),
  language: z.string().min(1).nullable(),
  /** With `verbose_json` only. */
  granularities: z.array(z.enum(['word', 'segment'])),
  /** Whether files above the interface's 25 MB are sent, to see them refused. */
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

/** Returns the maximum tokens of an answer, over all its choices; `null` if unbounded. */
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
