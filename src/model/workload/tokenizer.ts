import { z } from 'zod';

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
  /** Counts the tokens of a text, without the tokens that a chat template adds. */
  readonly count: (text: string) => number;
  /** The SHA-256 of the tokenizer's file; `null` for a vocabulary of `encodingNames`. */
  readonly sha256: string | null;
}

export const tokenizerFactsSchema = z.strictObject({
  /** The tokenizer's name: one of `encodingNames`, or the path of a `.json` file. */
  name: z.string().min(1),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** The number of generated words that are one token each. */
  words: z.int().positive(),
});
export type TokenizerFacts = z.infer<typeof tokenizerFactsSchema>;
