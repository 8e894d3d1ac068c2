import { z } from 'zod';
import { mockCreditsSchema } from './mock-credits.ts';
import { faultRuleSchema } from './mock-faults.ts';
import { latencySchema } from './mock-latency.ts';
import { mockLimitsSchema } from './mock-limits.ts';
import { defaultVoices } from './mock-voices.ts';
import { milliseconds, millisecondsSchema } from '../quantity.ts';
import { priceSchema } from '../workload/traffic.ts';

const lengthSchema = z
  .strictObject({
    min: z.int().positive().default(32).describe('The fewest tokens.'),
    max: z.int().positive().default(96).describe('The most tokens.'),
  })
  .refine(({ min, max }) => min <= max, {
    path: ['max'],
    error: 'expected max to be at least min',
  });

/** The interface (2.1) says `<publisher>/<model_name>`; gateways exist that say otherwise. */
const modelId = z.string().regex(/^\S+$/, 'expected an id without spaces');

const delay = (length: number, description: string) =>
  millisecondsSchema.default(milliseconds(length)).describe(description);

const speechSchema = z.strictObject({
  model: modelId.default('weir-tts').describe('The id of the text-to-speech model.'),
  voices: z
    .array(z.string().min(1))
    .min(1)
    .default([...defaultVoices])
    .describe('The voices that can be asked for.'),
  base: delay(150, 'Milliseconds from a complete request to its answer, whatever its length.'),
  perCharacter: delay(4, 'Milliseconds more for each character of the text.'),
});

const transcriptionSchema = z.strictObject({
  model: modelId.default('weir/whisper').describe('The id of the speech-to-text model.'),
  base: delay(100, 'Milliseconds from a complete upload to its answer, whatever its length.'),
  perSecond: delay(25, 'Milliseconds more for each second of the audio.'),
});

/**
 * How the reference gateway behaves: what a scenario may say of it under `mock`, and every one of its
 * other settings but addresses, keys and seed. Every field has a default that scripts can rely on.
 */
export const mockSettingsSchema = z.strictObject({
  models: z
    .array(modelId)
    .min(1)
    .default(['weir/small', 'weir/large'])
    .describe('The ids of the chat models.'),
  contextTokens: z
    .int()
    .positive()
    .default(131_072)
    .describe('The context window of every chat model: prompt tokens + max_tokens fit into it.'),
  ttft: millisecondsSchema
    .default(milliseconds(200))
    .describe('Milliseconds from a complete request to its first token.'),
  gap: millisecondsSchema
    .default(milliseconds(20))
    .describe('Milliseconds from one token to the next.'),
  latency: latencySchema
    .default('fixed')
    .describe(
      'What the latencies of chats follow: "fixed" for ttft and gap whatever the load, or a server with continuous batching that saturates: small, medium, large, or its own figures.',
    ),
  outputTokens: lengthSchema
    .prefault({})
    .describe('The length of an answer to a request without max_tokens, drawn evenly.'),
  speech: speechSchema.prefault({}).describe('Text-to-speech.'),
  transcription: transcriptionSchema.prefault({}).describe('Speech-to-text.'),
  prices: z
    .record(z.string(), priceSchema)
    .default({})
    .describe(
      'What chat models cost, by id: micro-units for each million tokens of input and of output. Others cost nothing.',
    ),
  limits: mockLimitsSchema.prefault({}).describe('The limits of each key.'),
  credits: mockCreditsSchema.prefault({}).describe('The credits of each key.'),
  faults: z
    .array(faultRuleSchema)
    .default([])
    .describe('Which requests show which fault; the first rule that takes a request decides.'),
  faultHeader: z
    .boolean()
    .default(true)
    .describe('Whether a request may ask for a fault by the header x-weir-fault.'),
  sendStamps: z
    .boolean()
    .default(false)
    .describe(
      'Whether each streamed chunk carries "x_weir_sent": when it was handed over, in milliseconds on the machine’s monotonic clock.',
    ),
  uploadTooLarge: z
    .union([z.literal(413), z.literal(400)])
    .default(413)
    .describe('The status by which too large an upload is refused; the interface lists both.'),
});
