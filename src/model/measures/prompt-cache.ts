import type { Group } from './counts.ts';

/** The prompt tokens of completed chats: separately for answers that report cached tokens and answers that do not. */
export interface CachedPrompts {
  /** How many answers report cached tokens, and the sums of their input tokens and of their cached tokens. */
  readonly answers: number;
  readonly input: number;
  readonly cached: number;
  /**
   * How many answers report no cached tokens, and the sum of their input tokens. The sum is `null` if an answer does
   * not report its input tokens.
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
 * Returns bounds of the cached share, in percent; `null` if every answer reports cached tokens. For answers that report
 * none, the lower bound assumes that no prompt token was cached, and the upper bound that all were. Some servers, such
 * as vLLM, report cached tokens only if the number is above 0.
 */
export const cachedBounds = ({ input, cached, silent, silentInput }: CachedPrompts) => {
  if (silent === 0) return null;
  if (silentInput === null || input + silentInput === 0) return { low: 0, high: 100 };
  const whole = input + silentInput;
  return { low: (cached / whole) * 100, high: ((cached + silentInput) / whole) * 100 };
};
