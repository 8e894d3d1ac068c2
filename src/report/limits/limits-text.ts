import { isViolation, type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type {
  LimiterIdentification,
  LimiterFit,
  LimitReport,
} from '../../model/limits/limit-report.ts';
import { countText, plural, timeText } from '../text/number-text.ts';

/** The result of a check. A violated limit is worse than any other false claim. */
export type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

export const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

/** Two classes that differ in fewer decisions cannot be distinguished. */
const minDecisionMargin = 2;

const parameters = ({ burst, steps }: LimiterFit): string =>
  [
    burst === null ? '' : `, burst ${countText(burst)}`,
    steps === null ? '' : `, ${countText(steps)} per window`,
  ].join('');

const limiterText = (fit: LimiterFit): string =>
  `${fit.limiter} (${limiterClasses[fit.limiter]}${parameters(fit)})`;

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
  const margin = runnerUp === null ? null : runnerUp.wrong - best.wrong;
  const other =
    margin === null
      ? ''
      : margin < minDecisionMargin
        ? ` It cannot be distinguished from ${runnerUp!.limiter}, which has ${plural(runnerUp!.wrong, 'decision')} wrong.`
        : ` The next best, ${runnerUp!.limiter}, has ${countText(runnerUp!.wrong)} wrong.`;
  const capped = best.limit === limit ? '' : ` Its limit is ${countText(best.limit)}.`;
  return `${limiterText(best)}: ${countText(best.wrong)} wrong of ${replayed}.${capped}${other}`;
};

/** The verdict in a sentence. */
export const limitsVerdictText = ({ judgement, log }: LimitReport): string => {
  const count = (outcome: CheckOutcome): number =>
    judgement.checks.filter((check) => checkOutcomeOf(check) === outcome).length;
  const otherOutcomes = [
    `${count('holds')} ${count('holds') === 1 ? 'holds' : 'hold'}`,
    `${count('does not hold')} ${count('does not hold') === 1 ? 'does' : 'do'} not hold`,
    `${count('undecided')} undecided`,
  ].join(', ');
  const endedEarly = log.cut === null ? '' : ` The examination ended early: ${log.cut}.`;
  return judgement.violated
    ? `LIMITS VIOLATED: ${plural(count('violated'), 'claim')}; of the others ${otherOutcomes}.${endedEarly}`
    : `No limit violated: of ${plural(judgement.checks.length, 'claim')} ${otherOutcomes}.${endedEarly}`;
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
