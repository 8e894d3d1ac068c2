import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { tokenizerFactsSchema } from './tokenizer.ts';

/** A system message before every prompt. */
const system = z.string().nullable();

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

const count = z.int().nonnegative();

/** What a file of prompts has and no request sends; absent from a plan if it is nothing. */
const droppedSchema = z.strictObject({
  /** Rows without a question, and where the first of them is. */
  rows: count,
  firstRow: z.string().nullable(),
  /** Turns of conversations besides the first question. */
  turns: count,
  /** The rows that have a field which is not sent, by its name. */
  fields: z.record(z.string(), count),
});
export type DroppedParts = z.infer<typeof droppedSchema>;

/** The source of a chat entry's prompts if they are not in the scenario: a description, never the prompts. */
export const promptSourceSchema = z.discriminatedUnion('kind', [
  /** Words of one token each. */
  z.strictObject({
    kind: z.literal('synthetic'),
    system,
    /** Tokens of the whole prompt or, with turns, of each question. */
    tokens: tokenCountSchema,
    /** Conversations of `count` questions. A request repeats all before its question; answers are synthetic. */
    turns: z.strictObject({ count: z.int().min(2), answer: tokenCountSchema }).nullable(),
    /** Each prompt starts with one of `pool` prefixes of this many tokens. */
    prefix: z.strictObject({ tokens: z.int().positive(), pool: z.int().positive() }).nullable(),
    /** `avoid`: all prompts differ after the prefix. `invite`: of any two prompts one begins with the other. */
    cache: z.enum(['avoid', 'invite']),
    /** Absent: those of OpenAI. */
    tokenizer: tokenizerFactsSchema.optional(),
    /** How many tokens the server counts for each generated one, which shortens prompts; absent: 1. */
    calibration: z.number().positive().optional(),
  }),
  /** Drawn uniformly from a file. */
  z.strictObject({
    kind: z.literal('dataset'),
    system,
    file: z.string().min(1),
    sha256: sha256Schema,
    prompts: z.int().positive(),
    dropped: droppedSchema.optional(),
  }),
  /** With the length and shared blocks of the request in the stage's trace. */
  z.strictObject({ kind: z.literal('trace'), system }),
]);
export type PromptSource = z.infer<typeof promptSourceSchema>;
export type PromptSourceOf<K extends PromptSource['kind']> = Extract<PromptSource, { kind: K }>;
