import { cachedPromptsOf } from '../measures/prompt-cache.ts';
import { inferHits, type InferredHits, type NoInference } from '../measures/prefill.ts';
import type { Result } from './result.ts';
import { groupsMatching, measuredSeconds, outsideWarmUp } from './summary.ts';

/**
 * How many answers count, how many tokens their prompts have (`input`), and how many of these tokens were repeated or
 * cached (`tokens`).
 */
interface PromptPart {
  readonly answers: number;
  readonly input: number;
  readonly tokens: number;
}

export interface PromptCacheFigures {
  /**
   * The prompt tokens that a cache can contain, because an earlier request of the same slice began with the same
   * tokens.
   */
  readonly expected: PromptPart;
  readonly reported: PromptPart;
  /** The number of answers that do not report cached tokens. */
  readonly silent: number;
  readonly inferred: InferredHits | NoInference;
}

/**
 * Returns the prompt tokens that a cache can have held, the reported cached tokens, and the cached share inferred from
 * times to first token; `null` if no token was repeated or cached.
 */
export const promptCacheFigures = (result: Result): PromptCacheFigures | null => {
  const groups = groupsMatching(result, outsideWarmUp);
  const expected = { answers: 0, input: 0, tokens: 0 };
  for (const { repeated } of groups.flatMap(({ tokens }) => tokens)) {
    if (repeated === undefined) continue;
    expected.answers += repeated.answers;
    expected.input += repeated.input;
    expected.tokens += repeated.tokens;
  }
  const { answers, input, cached, silent } = cachedPromptsOf(groups);
  if (expected.tokens === 0 && cached === 0) return null;
  const seconds = measuredSeconds(result, result.timeline);
  const prefills = seconds.flatMap(({ prefill }) => prefill ?? []);
  return {
    expected,
    reported: { answers, input, tokens: cached },
    silent,
    inferred: result.slices.length > 1 ? 'parted' : inferHits(prefills),
  };
};
