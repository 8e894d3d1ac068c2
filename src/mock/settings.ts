import { z } from 'zod';
import { milliseconds, millisecondsSchema } from '../model/quantity.ts';
import { priceSchema } from '../model/traffic.ts';
import { limiterKinds } from './limiter.ts';
import { voices } from './voices.ts';

/** The published key number `index`: `sk-weir-test`, `sk-weir-test-2`, … */
export const testKey = (index: number): string =>
  index === 0 ? 'sk-weir-test' : `sk-weir-test-${index + 1}`;

const limit = z.int().positive().nullable();

const lengthSchema = z
  .strictObject({
    min: z.int().positive().default(32),
    max: z.int().positive().default(96),
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
    .default([...voices])
    .describe('The voices that can be asked for.'),
  base: delay(150, 'Milliseconds from a complete request to its answer, whatever its length.'),
  perCharacter: delay(4, 'Milliseconds more for each character of the text.'),
});

const transcriptionSchema = z.strictObject({
  model: modelId.default('weir/whisper').describe('The id of the speech-to-text model.'),
  base: delay(100, 'Milliseconds from a complete upload to its answer, whatever its length.'),
  perSecond: delay(25, 'Milliseconds more for each second of the audio.'),
});

/** Everything that can be set of the mock; every field has a default that scripts can rely on. */
export const settingsSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('The port of the public interface; 0 takes a free one.'),
  controlPort: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('The port of the control interface; 0 takes a free one.'),
  keys: z
    .array(z.string().regex(/^[\x21-\x7e]+$/, 'expected a key of printable characters, no spaces'))
    .min(1)
    .default([0, 1, 2].map(testKey))
    .describe('The API keys that are let in; each has its own limits.'),
  seed: z
    .int()
    .nonnegative()
    .default(1)
    .describe('Answers are a pure function of this number and of the request.'),
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
  limits: z
    .strictObject({
      requestsPerMinute: limit.default(60).describe('Requests per window and key; null for any.'),
      tokensPerMinute: limit
        .default(2_000_000)
        .describe('Tokens (prompt and completion) per window and key; null for any.'),
      algorithm: z
        .enum(limiterKinds)
        .default('fixed-from-first')
        .describe('How the limits are counted.'),
    })
    .prefault({})
    .describe('The limits of each key.'),
  windowMs: z
    .number()
    .positive()
    .default(60_000)
    .describe('The length of the limits’ minute in milliseconds.'),
});

/** Settings as written: anything may be left out. */
export type SettingsInput = z.input<typeof settingsSchema>;
/** Settings, complete. */
export type Settings = z.output<typeof settingsSchema>;
