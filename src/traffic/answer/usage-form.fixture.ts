/** This file describes a form of usage: its source, and the tokens of each class, counted by hand. */

/** The tokens of an answer by class; an absent class has none. */
export interface FormTokens {
  readonly input?: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly audioInput?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly audioOutput?: number;
}

export interface UsageForm {
  readonly name: string;
  readonly source: string;
  /** The fields of the document, beside `choices`. */
  readonly fields: object;
  readonly tokens: FormTokens;
  /** Whether the total is not the sum of its parts. The answer then has a note. */
  readonly isOff?: boolean;
}

export const usageForm = (
  name: string,
  source: string,
  usage: object,
  tokens: FormTokens,
  isOff = false,
): UsageForm => ({ name, source, fields: { usage }, tokens, isOff });

/** The main counts of a usage, with `more` tokens in its total. */
export const sums = (prompt_tokens: number, completion_tokens: number, more = 0) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens + more,
});
