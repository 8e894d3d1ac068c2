import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { tokenizerFactsSchema } from './tokenizer.ts';

/** A system message before every prompt; `null` for none. */
const system = z.string().nullable();

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

const count = z.int().nonnegative();

/** The parts of a file of prompts that no request sends; absent from a plan if there are none. */
const droppedSchema = z.strictObject({
  /** The number of rows without a question, and the place of the first one. */
  rows: count,
  firstRow: z.string().nullable(),
  /** The number of turns of conversations besides the first question. */
  turns: count,
  /** The number of rows with a field that is not sent, by the field's name. */
  fields: z.record(z.string(), count),
});
export type DroppedParts = z.infer<typeof droppedSchema>;

/** Describes the source of a chat entry's prompts if they are not in the scenario. It never contains the prompts. */
export const promptSourceSchema = z.discriminatedUnion('kind', [
  /** Prompts of generated words; each word is one token. */
  z.strictObject({
    kind: z.literal('synthetic'),
    system,
    /** The number of tokens of the whole prompt or, with turns, of each question. */
    tokens: tokenCountSchema,
    /** Conversations of `count` questions. A request repeats all before its question; the answers are synthetic. */
    turns: z.strictObject({ count: z.int().min(2), answer: tokenCountSchema }).nullable(),
    /** Each prompt starts with one of `pool` prefixes of this many tokens. */
    prefix: z.strictObject({ tokens: z.int().positive(), pool: z.int().positive() }).nullable(),
    /** `avoid`: all prompts differ after the prefix. `invite`: of any two prompts one begins with the other. */
    cache: z.enum(['avoid', 'invite']),
    /** The tokenizer; if absent, the words are single tokens in OpenAI's. */
    tokenizer: tokenizerFactsSchema.optional(),
    /**
     * The number of tokens that the server counts per generated token, by which prompts are shortened; absent means 1.
     */
    calibration: z.number().positive().optional(),
  }),
  /** Prompts from a file, drawn uniformly. */
  z.strictObject({
    kind: z.literal('dataset'),
    system,
    file: z.string().min(1),
    sha256: sha256Schema,
    prompts: z.int().positive(),
    dropped: droppedSchema.optional(),
  }),
  /** Prompts with the length and shared blocks of the request in the stage's trace. */
  z.strictObject({ kind: z.literal('trace'), system }),
]);
export type PromptSource = z.infer<typeof promptSourceSchema>;
export type PromptSourceOf<K extends PromptSource['kind']> = Extract<PromptSource, { kind: K }>;
