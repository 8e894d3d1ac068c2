import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { tokenizerFactsSchema } from './tokenizer.ts';

/** A system message before every prompt. */
const system = z.string().nullable();

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** The source of a chat entry's prompts if they are not in the scenario: a description, never the prompts. */
export const promptSourceSchema = z.discriminatedUnion('kind', [
  /** Words of one token each. */
  z.strictObject({
    kind: z.literal('synthetic'),
    system,
    /** Tokens of the whole prompt with its prefix; with turns, of each question. */
    tokens: tokenCountSchema,
    /**
     * Conversations of `count` questions: each request sends its user's next question after the previous
     * questions and synthetic answers of this many tokens.
     */
    turns: z.strictObject({ count: z.int().min(2), answer: tokenCountSchema }).nullable(),
    /** Every prompt starts with one of `pool` prefixes of this many tokens. */
    prefix: z.strictObject({ tokens: z.int().positive(), pool: z.int().positive() }).nullable(),
    /** `avoid`: after the prefix all prompts differ. `invite`: of any two prompts one is a prefix of the other. */
    cache: z.enum(['avoid', 'invite']),
    /** The tokenizer that counts the tokens; absent: those of OpenAI. */
    tokenizer: tokenizerFactsSchema.optional(),
    /** Tokens counted by the server per generated token; prompts are shortened by this factor. Absent: 1. */
    calibration: z.number().positive().optional(),
  }),
  /** Drawn uniformly from a file. */
  z.strictObject({
    kind: z.literal('dataset'),
    system,
    file: z.string().min(1),
    sha256: sha256Schema,
    prompts: z.int().positive(),
  }),
  /** With the length and the shared blocks of the request in the stage's trace. */
  z.strictObject({ kind: z.literal('trace'), system }),
]);
export type PromptSource = z.infer<typeof promptSourceSchema>;
export type PromptSourceOf<K extends PromptSource['kind']> = Extract<PromptSource, { kind: K }>;
