import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { tokenizerFactsSchema } from './tokenizer.ts';

/** Where the prompts of a chat entry come from, if they do not stand in the scenario: a description, never the prompts. */

/** A system message before every prompt. */
const system = z.string().nullable();

/** SHA-256 of a file, in hex. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

export const promptSourceSchema = z.discriminatedUnion('kind', [
  /** Made of words that are one token each. */
  z.strictObject({
    kind: z.literal('synthetic'),
    system,
    /** The tokens of the whole prompt, its prefix included; with turns, of each question. */
    tokens: tokenCountSchema,
    /**
     * Conversations of `count` questions: each request asks the next one of its user's, behind the
     * questions before and made-up answers of so many tokens.
     */
    turns: z.strictObject({ count: z.int().min(2), answer: tokenCountSchema }).nullable(),
    /** Every prompt begins with one of `pool` prefixes of so many tokens. */
    prefix: z.strictObject({ tokens: z.int().positive(), pool: z.int().positive() }).nullable(),
    /** `avoid`: behind the prefix no two prompts are alike. `invite`: of any two, one is the beginning of the other. */
    cache: z.enum(['avoid', 'invite']),
    /** By which tokenizer the tokens are exact; absent: by those of OpenAI. */
    tokenizer: tokenizerFactsSchema.optional(),
    /** How many tokens the server counts for each that is made: so many fewer are made. Absent: 1. */
    calibration: z.number().positive().optional(),
  }),
  /** Drawn evenly from a file. */
  z.strictObject({
    kind: z.literal('dataset'),
    system,
    file: z.string().min(1),
    sha256: sha256Schema,
    prompts: z.int().positive(),
  }),
  /** As long as the request of the stage's trace is, with its shared blocks. */
  z.strictObject({ kind: z.literal('trace'), system }),
]);
export type PromptSource = z.infer<typeof promptSourceSchema>;
export type PromptSourceOf<K extends PromptSource['kind']> = Extract<PromptSource, { kind: K }>;
