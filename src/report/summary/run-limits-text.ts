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

/** `60`, `between 58 and 61`, `at least 1,000`. */
const fullestMinuteText = ({ least, most }: AdmittedPeak): string =>
  most === null
    ? `at least ${countText(least)}`
    : least === most
      ? countText(least)
      : `between ${countText(least)} and ${countText(most)}`;

const isUncertain = ({ least, most }: AdmittedPeak): boolean => least !== most;

const countsText = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${countText(count ?? 0)}`)
    .join(', ');

const accuracyCountsText = (accuracy: RetryAfterAccuracy): string =>
  countsText(Object.fromEntries(Object.entries(accuracy).filter(([, count]) => count > 0)));

const refusalSentences = (refusals: KeyRefusals): readonly string[] => {
  const { count, first, last, units, forms, stretches: blockedPeriods, longestStretch } = refusals;
  const periods =
    blockedPeriods === 1 ? 'one blocked period' : plural(blockedPeriods, 'blocked period');
  const longest =
    longestStretch === null
      ? ', and nothing was admitted afterwards'
      : `, at most ${timeText(longestStretch)} long`;
  return [
    `429s: ${countText(count)}, from ${momentText(first)} to ${momentText(last)}, by named limit: ${countsText(units)}; by form: ${countsText(forms)}; ${periods}${longest}.`,
    `Retry-After: ${accuracyCountsText(refusals.retryAfter)}. Reset time: ${accuracyCountsText(refusals.resetTime)}.`,
  ];
};

/** The findings about a key, as sentences. */
export const keyLimitSentences = (key: KeyLimits): readonly string[] => {
  const { requests, tokens, refusals, explainedBy } = key;
  return [
    `In the busiest minute: ${fullestMinuteText(requests)} requests${isUncertain(requests) ? ' (it is unknown whether audio, model lists and failed requests count)' : ''}, ${fullestMinuteText(tokens)} tokens.`,
    ...(refusals === null ? [] : refusalSentences(refusals)),
    ...(explainedBy === null
      ? []
      : [
          explainedBy.length === 0
            ? `No class of limiter with the declared limit explains the decisions (at most the first ${replayedDecisions}), assuming that nobody else used the key.`
            : `The decisions (at most the first ${replayedDecisions}) are explained by ${explainedBy.join(', ')}, assuming that nobody else used the key.`,
        ]),
  ];
};

/** Claims about a key that do not hold, and all that decide whether it is violated. */
export const keyClaimsToShow = ({ checks }: KeyLimits): readonly LimitCheck[] =>
  checks.filter(({ finding, violates }) => finding === 'refuted' || violates);

/** The verdict on the limits; `null` if the scenario does not check them. */
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
      text: 'Limits undecided: nothing was sent, or slices are missing or have no common clock',
    };
  }
  return proved === deciding.length
    ? { outcome: 'kept', text: `Limits kept: ${text}` }
    : { outcome: 'undecided', text: `No limit violated, some undecided: ${text}` };
};
