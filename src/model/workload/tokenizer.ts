import { z } from 'zod';

/** The vocabularies that gpt-tokenizer knows, by their names. */
export const encodingNames = [
  'o200k_base',
  'o200k_harmony',
  'cl100k_base',
  'p50k_base',
  'p50k_edit',
  'r50k_base',
  'gpt2',
] as const;

/** A tokenizer that is ready to count. */
export interface TokenCounter {
  /** Tokens of a text without what a chat's form adds. */
  readonly count: (text: string) => number;
  /** Of its file; `null` for one that is known by name. */
  readonly sha256: string | null;
}

/** The tokenizer by which made-up prompts are exact. */
export const tokenizerFactsSchema = z.strictObject({
  /** A name of `encodingNames`, or a file that ends in `.json`. */
  name: z.string().min(1),
  /** SHA-256 of the file, in hex. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** How many words are one token of it each. */
  words: z.int().positive(),
});
export type TokenizerFacts = z.infer<typeof tokenizerFactsSchema>;
