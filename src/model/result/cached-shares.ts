import type { Group } from '../measures/counts.ts';
import { cachedPromptsOf } from '../measures/prompt-cache.ts';
import type { CachedShare } from '../plan/forecast.ts';
import type { Result } from './result.ts';
import { groupsMatching, outsideWarmUp } from './summary.ts';

const writtenIn = (groups: readonly Group[]): number => {
  let [written, all] = [0, 0];
  for (const { bills } of groups) {
    const tokens = bills?.completed?.tokens;
    if (tokens === undefined) continue;
    written += tokens.cacheWrite;
    all += tokens.input + tokens.cachedInput + tokens.cacheWrite + tokens.audioInput;
  }
  return all === 0 ? 0 : written / all;
};

/**
 * Returns the cached shares of a result, by traffic kind and model. A kind and model is left out if none of its answers
 * reports cached tokens. If only some of its answers report cached tokens, the prompts of the other answers count as
 * not cached, so that the cost is not underestimated.
 */
export const cachedSharesOf = (result: Result): readonly CachedShare[] => {
  const byName = Map.groupBy(groupsMatching(result, outsideWarmUp), ({ labels }) =>
    JSON.stringify([labels.traffic, labels.model]),
  );
  return [...byName.values()].flatMap((groups) => {
    const { traffic, model } = groups[0]!.labels;
    const { answers, input, cached, silentInput } = cachedPromptsOf(groups);
    const all = input + (silentInput ?? 0);
    if (all === 0 || answers === 0) return [];
    return [{ traffic, model, cached: cached / all, written: writtenIn(groups), answers }];
  });
};
