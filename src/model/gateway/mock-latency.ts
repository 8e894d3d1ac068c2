import { z } from 'zod';
import { milliseconds, millisecondsSchema } from '../quantity.ts';

/**
 * How an inference server spends its time under continuous batching. All lengths are of one server,
 * which does one thing at a time: it takes a request into the batch (prefill), or it lets every
 * request of the batch say one more token (a decode step).
 */
export const batchingSchema = z.strictObject({
  batch: z.int().positive().describe('The most requests in the batch; others wait.'),
  overhead: millisecondsSchema.describe('Time to take a request in, whatever its length.'),
  perPromptToken: millisecondsSchema.describe(
    'Time more for each token of its prompt that is not cached.',
  ),
  step: millisecondsSchema.describe('Time of a decode step.'),
  stepPerRequest: millisecondsSchema.describe('Time more for each request of the batch.'),
  stepPerThousandTokens: millisecondsSchema.describe(
    'Time more for each thousand tokens that the batch has read and said.',
  ),
  jitter: z
    .number()
    .nonnegative()
    .max(2)
    .default(0)
    .describe('Spread of all these times: the standard deviation of their logarithm.'),
  tokensPerChunk: z.int().positive().default(1).describe('Tokens that a streamed chunk brings.'),
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
 * Servers of three sizes. The figures are round ones of the order that public benchmarks of dense
 * models show: about 8, 70 and 400 billion parameters on as many accelerators as they need.
 */
export const batchingPresets = {
  small: preset(128, 5, 0.02, [6, 0.05, 0.01]),
  medium: preset(32, 15, 0.12, [18, 0.2, 0.04]),
  large: preset(8, 30, 0.4, [35, 0.8, 0.1]),
} as const;

/** What the latencies of chats follow. */
export const latencySchema = z.union([
  z.enum(['fixed', 'small', 'medium', 'large']),
  batchingSchema,
]);
export type Latency = z.output<typeof latencySchema>;

/** The batching of a latency that is not fixed; `null` for one that is. */
export const batchingOf = (latency: Latency): Batching | null =>
  latency === 'fixed' ? null : typeof latency === 'string' ? batchingPresets[latency] : latency;

/** A load whose requests are all alike. */
export interface RequestSize {
  /** Tokens of each prompt, none of them cached. */
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/**
 * The most requests per second that a server can answer: with a full batch, a request takes the server
 * its own prefill, which brings its first token, and its share of the decode steps for the others.
 */
export const saturationRate = (
  { batch, overhead, perPromptToken, step, stepPerRequest, stepPerThousandTokens }: Batching,
  { promptTokens, outputTokens }: RequestSize,
): number => {
  const prefill = overhead + promptTokens * perPromptToken;
  const steps = Math.max(0, outputTokens - 1);
  // Before its k-th step a request has read its prompt and said k tokens.
  const context = promptTokens + (steps + 1) / 2;
  const length = step + batch * (stepPerRequest + (stepPerThousandTokens * context) / 1000);
  return 1000 / (prefill + (steps * length) / batch);
};
