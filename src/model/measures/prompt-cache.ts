import type { Group } from './counts.ts';

/** The prompt tokens of completed chats, separated by whether the answer reports cached tokens. */
export interface CachedPrompts {
  /** The number of answers that report cached tokens, and the sums of their input tokens and cached tokens. */
  readonly answers: number;
  readonly input: number;
  readonly cached: number;
  /**
   * The number of answers that report no cached tokens, and the sum of their input tokens; the sum is `null` if one of
   * them reports no input tokens.
   */
  readonly silent: number;
  readonly silentInput: number | null;
}

export const cachedPromptsOf = (groups: readonly Pick<Group, 'tokens'>[]): CachedPrompts => {
  let [all, withInput, allInput] = [0, 0, 0];
  let [answers, input, cached] = [0, 0, 0];
  for (const sums of groups.flatMap(({ tokens }) => tokens)) {
    all += sums.answers;
    withInput += sums.answersWithInput;
    allInput += sums.input;
    answers += sums.cached?.answers ?? 0;
    input += sums.cached?.input ?? 0;
    cached += sums.cached?.tokens ?? 0;
  }
  const silentInput = withInput < all ? null : Math.max(0, allInput - input);
  return { answers, input, cached, silent: Math.max(0, all - answers), silentInput };
};

/**
 * Returns the bounds of the cached share in percent; `null` if every answer reports cached tokens. The lower bound
 * assumes that the prompts of the other answers were not cached at all, the upper bound that they were cached
 * completely. Some servers, such as vLLM, report cached tokens only if the number is above 0.
 */
export const cachedBounds = ({ input, cached, silent, silentInput }: CachedPrompts) => {
  if (silent === 0) return null;
  if (silentInput === null || input + silentInput === 0) return { low: 0, high: 100 };
  const whole = input + silentInput;
  return { low: (cached / whole) * 100, high: ((cached + silentInput) / whole) * 100 };
};
