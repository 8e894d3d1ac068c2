import { isViolation, type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type {
  LimiterIdentification,
  LimiterFit,
  LimitReport,
} from '../../model/limits/limit-report.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';

/** The result of a check. A violated limit is worse than any other false claim. */
export type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

export const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

/** Two classes that differ in fewer decisions cannot be distinguished. */
const minDecisionMargin = 2;

const limiterText = ({ limiter, burst, steps }: LimiterFit): string =>
  `${limiter} (${present([
    limiterClasses[limiter],
    burst !== null && `burst ${countText(burst)}`,
    steps !== null && `${countText(steps)} per window`,
  ]).join(', ')})`;

/** Which limiter explains the decisions, and how many decisions the next best gets wrong. */
export const identificationText = (
  { best, runnerUp, decisions }: LimiterIdentification,
  limit: number,
  window: number,
): string => {
  const replayed = `${plural(decisions, 'decision')} replayed`;
  if (best === null) {
    const closest =
      runnerUp === null
        ? ''
        : `; the closest, ${runnerUp.limiter}, has ${countText(runnerUp.wrong)} wrong`;
    return `No class of limiter of ${countText(limit)} requests in ${timeText(window)} fits (${replayed}${closest}).`;
  }
  return present([
    `${limiterText(best)}: ${countText(best.wrong)} wrong of ${replayed}.`,
    best.limit !== limit && `Its limit is ${countText(best.limit)}.`,
    runnerUp !== null && runnerUpText(runnerUp, best),
  ]).join(' ');
};

const runnerUpText = ({ limiter, wrong }: LimiterFit, best: LimiterFit): string =>
  wrong - best.wrong < minDecisionMargin
    ? `It cannot be distinguished from ${limiter}, which has ${plural(wrong, 'decision')} wrong.`
    : `The next best, ${limiter}, has ${countText(wrong)} wrong.`;

/** The verdict in a sentence. */
export const limitsVerdictText = ({
  judgement: { checks, violated },
  log,
}: LimitReport): string => {
  const count = (outcome: CheckOutcome): number =>
    checks.filter((check) => checkOutcomeOf(check) === outcome).length;
  const [kept, failed] = [count('holds'), count('does not hold')];
  const others = `${kept} ${kept === 1 ? 'holds' : 'hold'}, ${failed} ${failed === 1 ? 'does' : 'do'} not hold, ${count('undecided')} undecided.`;
  const verdict = violated
    ? `LIMITS VIOLATED: ${plural(count('violated'), 'claim')}; of the others`
    : `No limit violated: of ${plural(checks.length, 'claim')}`;
  const endedEarly = log.cut === null ? '' : ` The examination ended early: ${log.cut}.`;
  return `${verdict} ${others}${endedEarly}`;
};

/** Where a claim comes from. */
export const checkSectionText = ({ section }: LimitCheck): string =>
  section === null ? 'not promised' : `§ ${section}`;

/** The requests of the examination. */
export const requestsSentText = ({ log, took }: LimitReport): string => {
  const refused = log.replies.filter(({ status }) => status === 429).length;
  const lost = log.unanswered.length;
  return `${plural(log.replies.length + lost, 'request')} in ${timeText(took)}, ${countText(refused)} refused with 429${lost === 0 ? '' : `, ${countText(lost)} without an answer`}`;
};
