import type { Batching } from '../../model/gateway/mock-latency.ts';

export interface RequestSize {
  /** The tokens of the prompt. None is cached. */
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/**
 * Returns the maximum requests per second of a server with a full batch. A request costs its own prefill, which yields
 * the first token of its answer, and its share of the decode steps for the other tokens.
 */
export const saturationRate = (
  { batch, overhead, perPromptToken, step, stepPerRequest, stepPerThousandTokens }: Batching,
  { promptTokens, outputTokens }: RequestSize,
): number => {
  const prefill = overhead + promptTokens * perPromptToken;
  const steps = Math.max(0, outputTokens - 1);
  // Before its k-th step, a request has its prompt and k output tokens as context.
  const context = promptTokens + (steps + 1) / 2;
  const length = step + batch * (stepPerRequest + (stepPerThousandTokens * context) / 1000);
  return 1000 / (prefill + (steps * length) / batch);
};
