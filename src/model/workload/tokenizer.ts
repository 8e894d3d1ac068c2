import { z } from 'zod';

/** The vocabularies of gpt-tokenizer. */
export const encodingNames = [
  'o200k_base',
  'o200k_harmony',
  'cl100k_base',
  'p50k_base',
  'p50k_edit',
  'r50k_base',
  'gpt2',
] as const;

export interface TokenCounter {
  /** Counts the tokens of a text, without those of the chat template. */
  readonly count: (text: string) => number;
  /** The SHA-256 of the tokenizer's file; `null` for a named vocabulary. */
  readonly sha256: string | null;
}

export const tokenizerFactsSchema = z.strictObject({
  /** The name: one of `encodingNames`, or a `.json` file. */
  name: z.string().min(1),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** The number of words that are one token each. */
  words: z.int().positive(),
});
export type TokenizerFacts = z.infer<typeof tokenizerFactsSchema>;
