import { z } from 'zod';
import { faultRuleSchema } from './mock-faults.ts';
import { latencySchema } from './mock-latency.ts';
import { mockLimitsSchema } from './mock-limits.ts';
import { milliseconds } from '../quantity.ts';
import { millisecondsSchema } from '../quantity-schema.ts';
import { priceSchema } from '../workload/price.ts';

const positive = z.int().positive();

export const mockCreditsSchema = z.strictObject({
  balance: z
    .nullable(z.int().nonnegative())
    .default(null)
    .describe(
      'Balance of each key in micro-units of the currency; at zero or below, requests are answered 402. Null: unlimited.',
    ),
  ledger: positive
    .default(10_000)
    .describe('Number of the most recent charges that the ledger keeps.'),
});
export type MockCredits = z.output<typeof mockCreditsSchema>;

/** The 28 English voices of the gateway's interface (section 4.3). */
const defaultVoices: readonly string[] = (
  'Abigail Adrian Alexander Alice Austin Axel Connor Cora Elena Eli Emily Everett Gabriel Gianna ' +
  'Henry Ian Jade Jeremiah Jordan Julian Layla Leonardo Michael Miles Olivia Ryan Taylor Thomas'
)
  .split(' ')
  .map((name) => `${name}.wav`);

const lengthSchema = z
  .strictObject({
    min: positive.default(32).describe('The fewest tokens.'),
    max: positive.default(96).describe('The most tokens.'),
  })
  .refine(({ min, max }) => min <= max, {
    path: ['max'],
    error: 'expected max to be at least min',
  });

/**
 * A model's name. In the interface (section 2.1) a name is `<publisher>/<model_name>`; some gateways use another form.
 */
const modelId = z.string().regex(/^\S+$/, 'expected an id without spaces');

const modelIds = z.array(modelId).min(1);

const toggle = (isOn: boolean) => z.boolean().default(isOn);

const delay = (length: number, description: string) =>
  millisecondsSchema.default(milliseconds(length)).describe(description);

const speechSchema = z.strictObject({
  model: modelId.default('weir-tts').describe('The id of the text-to-speech model.'),
  voices: z
    .array(z.string().min(1))
    .min(1)
    .default([...defaultVoices])
    .describe('The voices that requests can name.'),
  base: delay(150, 'Milliseconds from a complete request to its answer, for any length.'),
  perCharacter: delay(4, 'Additional milliseconds for each character of the text.'),
});

const transcriptionSchema = z.strictObject({
  model: modelId.default('weir/whisper').describe('The id of the speech-to-text model.'),
  base: delay(100, 'Milliseconds from a complete upload to its answer, for any length.'),
  perSecond: delay(25, 'Additional milliseconds for each second of the audio.'),
});

const promptCacheSchema = z.strictObject({
  keeps: millisecondsSchema
    .nullable()
    .default(null)
    .describe(
      'How long after its last use a beginning of a prompt is kept, in milliseconds; null: until others need its place.',
    ),
  tokens: positive
    .default(6_400_000)
    .describe('How many tokens of prompts are kept, in blocks of about 64; those used last stay.'),
});
export type PromptCache = z.output<typeof promptCacheSchema>;

/**
 * The settings of the reference gateway, which a scenario can set under `mock`. Users' scripts rely on each default.
 */
export const mockSettingsSchema = z.strictObject({
  models: modelIds.default(['weir/small', 'weir/large']).describe('The ids of the chat models.'),
  contextTokens: positive
    .default(131_072)
    .describe('The context window of every chat model: the limit of prompt tokens + max_tokens.'),
  ttft: delay(200, 'Milliseconds from a complete request to its first token.'),
  gap: delay(20, 'Milliseconds from one token to the next.'),
  latency: latencySchema
    .default('fixed')
    .describe(
      'Latency of chats: "fixed" applies ttft and gap at any load; small, medium, large or your own figures simulate a server with continuous batching that saturates.',
    ),
  outputTokens: lengthSchema
    .prefault({})
    .describe('The length of an answer to a request without max_tokens, drawn uniformly.'),
  promptCache: promptCacheSchema
    .prefault({})
    .describe('The cache of the beginnings of prompts, each model’s own.'),
  speech: speechSchema.prefault({}).describe('Text-to-speech.'),
  transcription: transcriptionSchema.prefault({}).describe('Speech-to-text.'),
  prices: z
    .record(z.string(), priceSchema.pick({ input: true, output: true }))
    .default({})
    .describe(
      'Prices of chat models by id, in micro-units for each million input and output tokens. Other models are free.',
    ),
  limits: mockLimitsSchema.prefault({}).describe('The limits of each key.'),
  credits: mockCreditsSchema.prefault({}).describe('The credits of each key.'),
  faults: z
    .array(faultRuleSchema)
    .default([])
    .describe('Which requests show which fault; the first rule that matches a request decides.'),
  hangUps: z
    .enum(['stop', 'generate', 'hold'])
    .default('stop')
    .describe(
      'What a chat does when its client hangs up: it stops (stop), or is generated to its end, and its place among the requests in flight is free (generate) or held until then (hold).',
    ),
  faultHeader: toggle(true).describe(
    'Whether a request can select a fault with the header x-weir-fault.',
  ),
  metrics: toggle(true).describe(
    'Whether GET /metrics answers with the server’s own metrics: requests running and waiting, tokens, prefix cache and queue time, by the names of vLLM.',
  ),
  sendStamps: toggle(false).describe(
    'Whether each streamed chunk contains "x_weir_sent": when it was written to the socket, in milliseconds on the machine’s monotonic clock.',
  ),
  uploadTooLarge: z
    .union([z.literal(413), z.literal(400)])
    .default(413)
    .describe('The status that refuses an upload that is too large; the interface lists both.'),
});
