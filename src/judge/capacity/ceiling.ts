import type { CapacityStep, CapacityTerms } from '../../model/series/capacity.ts';

/** The rate that the declared limits of all keys allow, and the limit that determines it. */
export interface Ceiling {
  readonly rate: number;
  readonly bound: 'requests' | 'tokens';
}

/** Mean tokens of an answer and its prompt over all steps with known tokens; `null` if none. */
export const tokensPerRequest = (steps: readonly CapacityStep[]): number | null => {
  const known = steps.filter(({ tokens }) => tokens !== null);
  const completed = known.reduce((sum, step) => sum + step.completed, 0);
  if (completed === 0) return null;
  return known.reduce((sum, step) => sum + (step.tokens ?? 0) * step.completed, 0) / completed;
};

/** `null` without a declared limit. A limit of tokens counts as soon as a step shows the tokens per request. */
export const ceilingOf = (
  { requestsPerMinute, tokensPerMinute, keys }: CapacityTerms,
  steps: readonly CapacityStep[],
): Ceiling | null => {
  const tokens = tokensPerRequest(steps);
  const byRequests = requestsPerMinute === null ? Infinity : (requestsPerMinute * keys) / 60;
  const byTokens =
    tokensPerMinute === null || tokens === null || tokens === 0
      ? Infinity
      : (tokensPerMinute * keys) / 60 / tokens;
  const rate = Math.min(byRequests, byTokens);
  return rate === Infinity ? null : { rate, bound: byRequests <= byTokens ? 'requests' : 'tokens' };
};
