import { isViolation, type LimitCheck } from '../../model/limits/limit-log.ts';
import type { Result } from '../../model/result/result.ts';
import {
  type AdmittedPeak,
  type KeyLimits,
  type KeyRefusals,
  type RetryAfterAccuracy,
  replayedDecisions,
} from '../../model/limits/run-limits.ts';
import { countText, momentText, plural, timeText } from '../text/number-text.ts';

/** What a run's ledger proves of its keys' limits, in words that all reports share. */

/** `60`, `between 58 and 61`, `at least 1,000`. */
const fullestMinuteText = ({ least, most: maxLimitMultiple }: AdmittedPeak): string =>
  maxLimitMultiple === null
    ? `at least ${countText(least)}`
    : least === maxLimitMultiple
      ? countText(least)
      : `between ${countText(least)} and ${countText(maxLimitMultiple)}`;

const isUncertain = ({ least, most: maxLimitMultiple }: AdmittedPeak): boolean =>
  least !== maxLimitMultiple;

const countsText = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${countText(count ?? 0)}`)
    .join(', ');

const accuracyCountsText = (accuracy: RetryAfterAccuracy): string =>
  countsText(Object.fromEntries(Object.entries(accuracy).filter(([, count]) => count > 0)));

const refusalSentences = (refusals: KeyRefusals): readonly string[] => {
  const { count, first, last, units, forms, stretches: blockedPeriods, longestStretch } = refusals;
  const blockedText =
    longestStretch === null
      ? 'nothing was let in again'
      : `nothing was let in for at most ${timeText(longestStretch)}`;
  return [
    `429s: ${countText(count)}, from ${momentText(first)} to ${momentText(last)}, by the limit that they name: ${countsText(units)}; by form: ${countsText(forms)}; in ${plural(blockedPeriods, 'spell')} during which ${blockedText}.`,
    `Retry-After: ${accuracyCountsText(refusals.retryAfter)}. Reset time: ${accuracyCountsText(refusals.resetTime)}.`,
  ];
};

/** What was seen of a key, a sentence each. */
export const keyLimitSentences = (key: KeyLimits): readonly string[] => {
  const { requests, tokens, refusals, explainedBy } = key;
  return [
    `Counted in the fullest minute: ${fullestMinuteText(requests)} requests${isUncertain(requests) ? ' (audio, model lists and failed requests may count or not)' : ''}, ${fullestMinuteText(tokens)} tokens.`,
    ...(refusals === null ? [] : refusalSentences(refusals)),
    ...(explainedBy === null
      ? []
      : [
          explainedBy.length === 0
            ? `No class of limiter with the declared limit explains the decisions (the first ${replayedDecisions} at most), if nobody else used the key before or meanwhile.`
            : `The decisions (the first ${replayedDecisions} at most) are explained by: ${explainedBy.join(', ')}; if nobody else used the key before or meanwhile.`,
        ]),
  ];
};

/** Claims about a key that do not hold, and all that decide whether it is violated. */
export const keyClaimsToShow = ({ checks }: KeyLimits): readonly LimitCheck[] =>
  checks.filter(({ finding, violates }) => finding === 'refuted' || violates);

/** What the limits came to, where the scenario asks; `null` where it does not. */
export const runLimitsVerdict = ({
  limits,
  plan,
}: Result): {
  readonly outcome: 'kept' | 'violated' | 'undecided';
  readonly text: string;
} | null => {
  if (limits === undefined || !limits.judged) return null;
  const permitted = plan.limits.limiter === 'any' ? 'any limiter' : `a ${plan.limits.limiter}`;
  const deciding = limits.keys.flatMap(({ key, checks }) =>
    checks.filter(({ violates }) => violates).map((check) => ({ key, check })),
  );
  const broken = deciding.filter(({ check }) => isViolation(check));
  if (broken.length > 0) {
    const named = broken.map(({ key, check }) => `${key}: ${check.id}`).join(', ');
    return { outcome: 'violated', text: `Limits violated (${permitted} permitted): ${named}` };
  }
  const proved = deciding.filter(({ check }) => check.finding === 'proved').length;
  const text = `${countText(proved)} of ${plural(deciding.length, 'claim')} proved, none refuted (${permitted} permitted)`;
  if (limits.keys.length === 0) {
    return {
      outcome: 'undecided',
      text: 'Limits undecided: nothing was sent, or by several slices that have no clock in common or are not all here',
    };
  }
  return proved === deciding.length
    ? { outcome: 'kept', text: `Limits kept: ${text}` }
    : { outcome: 'undecided', text: `No limit violated, not all decided: ${text}` };
};
