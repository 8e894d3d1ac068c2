import type { LimiterDecision } from '../../../../model/limits/limit-log.ts';

/**
 * Returns the longest possible duration of each blocked period, in ms. A period begins when its first refused request
 * is sent. It ends with the answer to the first admitted request that was sent after a refusal was answered. Example:
 * if each refusal locks a key for a window, all periods last a window or more. With a fixed window, some periods are
 * shorter.
 */
export const blockedPeriods = (decisions: readonly LimiterDecision[]): readonly number[] => {
  const admitted = decisions
    .filter((decision) => decision.admitted)
    .toSorted((a, b) => a.sent - b.sent);
  const begins = new Map<LimiterDecision, number>();
  for (const { sent, answered, admitted: isAdmitted } of decisions) {
    const next = isAdmitted ? undefined : admitted.find((each) => each.sent >= answered);
    if (next !== undefined) begins.set(next, Math.min(sent, begins.get(next) ?? sent));
  }
  return [...begins].map(([{ answered }, begin]) => answered - begin);
};
