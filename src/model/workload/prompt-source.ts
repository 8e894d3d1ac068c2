import { z } from 'zod';
import { tokenCountSchema } from './token-count.ts';
import { tokenizerFactsSchema } from './tokenizer.ts';

/** A system message that precedes every prompt; `null` for no system message. */
const system = z.string().nullable();

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

const count = z.int().nonnegative();

/** The parts of a prompt file that no request sends; absent if every part is sent. */
const droppedSchema = z.strictObject({
  /** How many rows have no question, and where the first of them is. */
  rows: count,
  firstRow: z.string().nullable(),
  /** The number of conversation turns after the first question. */
  turns: count,
  /** For each field that is not sent, by name, the number of rows with it. */
  fields: z.record(z.string(), count),
});
export type DroppedParts = z.infer<typeof droppedSchema>;

/**
 * Where the prompts of a chat entry come from if they are not in the scenario. This description never contains prompts.
 */
export const promptSourceSchema = z.discriminatedUnion('kind', [
  /** Prompts of generated words; each word is one token. */
  z.strictObject({
    kind: z.literal('synthetic'),
    system,
    /** The number of tokens of the whole prompt. With `turns`, the number of tokens of each question. */
    tokens: tokenCountSchema,
    /**
     * Conversations of `count` questions. A request sends the earlier questions of its conversation with synthetic
     * answers, and then its own question.
     */
    turns: z.strictObject({ count: z.int().min(2), answer: tokenCountSchema }).nullable(),
    /** Each prompt starts with one of `pool` different prefixes of `tokens` tokens. */
    prefix: z.strictObject({ tokens: z.int().positive(), pool: z.int().positive() }).nullable(),
    /**
     * How prompts use the server's cache. `avoid`: all prompts differ right after the prefix. `invite`: of any two
     * prompts, the shorter prompt is the beginning of the longer prompt.
     */
    cache: z.enum(['avoid', 'invite']),
    /** The tokenizer. If absent, each word is a single token in OpenAI's vocabularies. */
    tokenizer: tokenizerFactsSchema.optional(),
    /**
     * The number of tokens that the server counts per generated token; absent means 1. The length of prompts is divided
     * by this number.
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
  /**
   * Prompts with the lengths of the prompts in the stage's trace. Two prompts share a block of text if their
   * counterparts in the trace do so.
   */
  z.strictObject({ kind: z.literal('trace'), system }),
]);
export type PromptSource = z.infer<typeof promptSourceSchema>;
export type PromptSourceOf<K extends PromptSource['kind']> = Extract<PromptSource, { kind: K }>;
