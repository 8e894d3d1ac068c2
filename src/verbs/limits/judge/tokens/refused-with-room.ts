import {
  finite,
  leakyLevel,
  smallestBucket,
  sumInFlight,
} from '../../../../judge/limits/facts/early-refusals.ts';
import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import type { LimitUse } from '../../../../judge/limits/facts/token-uses.ts';
import type { TokenRule } from '../../model/token-log.ts';
import { refillStep } from './token-bursts.ts';

/**
 * The number of phases of a weighted counter that are tried. The weight of the older window falls from each tried phase
 * to the next. To cover all phases in between, each phase uses the higher weight of the previous phase.
 */
const counterPhases = 48;

/**
 * Returns a function that computes the highest count of any weighted counter, whatever its phase, just before a
 * request.
 */
const weightedCount = (uses: readonly LimitUse[], window: number) => (next: LimitUse) => {
  const others = uses.filter((use) => use !== next && use.sent <= next.answered);
  const counts = Array.from({ length: counterPhases }, (_, i) => {
    const begin = next.sent - (i * window) / counterPhases;
    return others.reduce((sum, { settled, most }) => {
      if (settled >= begin) return sum + most;
      return settled >= begin - window ? sum + most * (1 - (i - 1) / counterPhases) : sum;
    }, 0);
  });
  return Math.max(...counts);
};

/**
 * Returns, for each moment of an ascending list, the most that can be missing from a bucket, in the unit of the limit.
 * The bucket refills by the limit in each longest window. The result assumes that each charge came as late as possible.
 */
export const lostLevels = (
  uses: readonly LimitUse[],
  moments: readonly number[],
  { tokens, window }: TokenRule,
): readonly number[] => {
  const settled = uses.toSorted((a, b) => a.settled - b.settled);
  const begin = Math.min(...uses.map(({ sent }) => sent));
  const levelAt = leakyLevel(settled, tokens / longestWindow(window), begin);
  return moments.map(levelAt);
};

/**
 * If nothing was used, every bucket certainly holds this share of the limit: the size of the smallest bucket, minus the
 * next step of its refill.
 */
export const smallestRoom = smallestBucket - refillStep;

/**
 * Returns the refusals, in the order of sending, for which no limiter lacked tokens: no window, log or weighted
 * counter, and no bucket of a quarter of the limit that still waits for the next step of its refill. A bucket that
 * refills too slowly may have lacked tokens.
 */
export const refusedWithRoom = (
  refusals: readonly LimitUse[],
  uses: readonly LimitUse[],
  rule: TokenRule,
): readonly LimitUse[] => {
  const longest = longestWindow(rule.window);
  const inFlight = sumInFlight(uses, ({ reserved }) => finite(reserved));
  const unknown = uses.filter(({ most }) => most === Infinity);
  const lost = lostLevels(
    uses,
    refusals.map(({ sent }) => sent),
    rule,
  );
  const counted = weightedCount(uses, longest);
  return refusals.filter((refusal, i) => {
    if (unknown.some(({ sent }) => sent <= refusal.answered)) return false;
    const asked = inFlight(refusal);
    return (
      lost[i]! + asked <= smallestRoom * rule.tokens && counted(refusal) + asked <= rule.tokens
    );
  });
};
