import { z } from 'zod';
import { expectationSchema } from './expectation.ts';
import { cancelSchema } from './hang-up.ts';
import { messageSchema } from './message.ts';
import { priceSchema, speechPriceSchema, transcriptionPriceSchema } from './price.ts';
import { tokenCountSchema } from './token-count.ts';
import { promptSourceSchema } from './prompt-source.ts';

/**
 * The traffic kinds. The types of tables of kinds have a field for each, so the compiler demands a row for a new kind in
 * each table, first in `traffic/kinds/prepare-request.ts`.
 */
export const trafficKinds = ['chat', 'chat-stream', 'speech', 'transcription', 'models'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

const entryFields = {
  /** The weight of the entry. The entry's share of the arrivals is this weight divided by the sum of all weights. */
  weight: z.number().positive(),
  /**
   * The name of the entry in reports. Entries without a name that have the same kind and model are reported together.
   */
  name: z.string().min(1).optional(),
  /** On which requests the client hangs up, and when; absent if it never does. */
  cancel: cancelSchema.exactOptional(),
};

/** Further fields of a request's body. Texts in these fields may be templates. */
const body = z.record(z.string(), z.json());

const chatFields = {
  ...entryFields,
  model: z.string().min(1),
  /** The conversations or the source of the prompts. Each request draws one conversation by seed, stage and index. */
  conversations: z.union([z.array(z.array(messageSchema).min(1)).min(1), promptSourceSchema]),
  /** The maximum number of tokens of an answer. A source of prompts can set a lower maximum. */
  maxTokens: tokenCountSchema.nullable(),
  body,
  /** The price of the entry; `null` if the price, and so the cost of the answers, is unknown. */
  price: priceSchema.nullable(),
  expect: expectationSchema.optional(),
};

/** The audio formats of speech answers (interface, section 4.3). */
export const speechFormats = ['mp3', 'wav', 'opus'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

const speechFields = {
  ...entryFields,
  model: z.string().min(1),
  /**
   * The texts. Each request draws one text. With `split`, the texts are pieces of a longer text, and requests send the
   * pieces in order, again and again.
   */
  texts: z.array(z.string().min(1)).min(1),
  /** The maximum length of the pieces, in characters; absent if the texts are not pieces. */
  split: z.strictObject({ characters: z.int().positive() }).optional(),
  voice: z.string().min(1),
  format: z.enum(speechFormats),
  speed: z.number().positive().nullable(),
  body,
  /** The price; absent if the price of the interface applies, `null` if the price is unknown. */
  price: speechPriceSchema.nullable().exactOptional(),
};

/** The answer formats of transcriptions (interface, section 4.4). */
export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

const clipSourceSchema = z.strictObject({
  /**
   * The path of an audio file or a `.json` manifest, relative to the scenario. `bundled` means the recordings that come
   * with Weir.
   */
  file: z.string().min(1),
  /** The spoken text; `null` if the text is unknown, or if the manifest contains the text. */
  text: z.string().nullable(),
});

const transcriptionFields = {
  ...entryFields,
  model: z.string().min(1),
  /** The sources of clips. Each request uploads one clip, drawn from all clips of all sources. */
  clips: z.array(clipSourceSchema).min(1),
  format: z.enum(transcriptFormats),
  language: z.string().min(1).nullable(),
  /** How fine the requested timestamps are: per word, per segment or both; only with `verbose_json`. */
  granularities: z.array(z.enum(['word', 'segment'])),
  /** Whether to send files above the API's limit of 25 MB, to see whether the server refuses them. */
  oversized: z.boolean(),
  expect: expectationSchema.optional(),
  /** The price; absent if the price of the interface applies, `null` if the price is unknown. */
  price: transcriptionPriceSchema.nullable().exactOptional(),
};

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

/** Returns the maximum number of tokens of an answer over all its choices; `null` if the answer has no maximum. */
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
