/** What a model is to say, as far as time is concerned. */
export interface ServingJob {
  /** Whatever is served by one machine has the same model. */
  readonly model: string;
  readonly promptTokens: number;
  /** The texts of the prompt, in order. */
  readonly prompt: readonly string[];
  /** Tokens of the answer, at least 1. */
  readonly steps: number;
}
