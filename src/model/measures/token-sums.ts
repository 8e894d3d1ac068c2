import { tokenSources } from '../observation/outcome.ts';
import { z } from 'zod';

const count = z.int().nonnegative();

/** Token sums of completed answers, kept apart by where the counts come from. */
export const tokenSumsSchema = z.strictObject({
  source: z.enum(tokenSources),
  answers: count,
  /** How many of these answers told their input tokens; `input` sums those. */
  answersWithInput: count,
  input: count,
  output: count,
  /** Of answers to prompts of a made length: how many told their input, the tokens asked for, and `input`. */
  made: z.strictObject({ answers: count, asked: count, input: count }).optional(),
});
export type TokenSums = z.infer<typeof tokenSumsSchema>;
