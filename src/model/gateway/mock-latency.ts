import { z } from 'zod';
import { milliseconds } from '../quantity.ts';
import { millisecondsSchema } from '../quantity-schema.ts';

/**
 * The times of an inference server with continuous batching. At any time the server either adds a request to the batch
 * (prefill) or generates one more token for all requests in the batch (a decode step).
 */
export const batchingSchema = z.strictObject({
  batch: z.int().positive().describe('Maximum requests in the batch; others wait.'),
  overhead: millisecondsSchema.describe('Time to add a request to the batch, for any length.'),
  perPromptToken: millisecondsSchema.describe(
    'Additional time for each token of its prompt that is not cached.',
  ),
  step: millisecondsSchema.describe('Time of a decode step.'),
  stepPerRequest: millisecondsSchema.describe('Additional time for each request of the batch.'),
  stepPerThousandTokens: millisecondsSchema.describe(
    'Additional time for each thousand prompt and output tokens in the batch.',
  ),
  jitter: z
    .number()
    .nonnegative()
    .max(2)
    .default(0)
    .describe('Spread of all these times: the standard deviation of their logarithm.'),
  tokensPerChunk: z.int().positive().default(1).describe('Tokens in each streamed chunk.'),
});
export type Batching = z.output<typeof batchingSchema>;

const preset = (
  batch: number,
  overhead: number,
  perPromptToken: number,
  [step, perRequest, perThousand]: readonly [number, number, number],
): Batching => ({
  batch,
  overhead: milliseconds(overhead),
  perPromptToken: milliseconds(perPromptToken),
  step: milliseconds(step),
  stepPerRequest: milliseconds(perRequest),
  stepPerThousandTokens: milliseconds(perThousand),
  jitter: 0.05,
  tokensPerChunk: 1,
});

/**
 * The times of three typical servers, rounded from public benchmarks of dense models with 8, 70 and 400 billion
 * parameters.
 */
export const batchingPresets = {
  small: preset(128, 5, 0.02, [6, 0.05, 0.01]),
  medium: preset(32, 15, 0.12, [18, 0.2, 0.04]),
  large: preset(8, 30, 0.4, [35, 0.8, 0.1]),
} as const;

export const latencySchema = z.union([
  z.enum(['fixed', 'small', 'medium', 'large']),
  batchingSchema,
]);
export type Latency = z.output<typeof latencySchema>;

/** Returns the times of a batching server; `null` if the latency is fixed. */
export const batchingOf = (latency: Latency): Batching | null =>
  latency === 'fixed' ? null : typeof latency === 'string' ? batchingPresets[latency] : latency;
