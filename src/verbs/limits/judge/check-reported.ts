import {
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { checkReplies } from './check-replies.ts';
import { firstKeyHistory } from './limiter-decisions.ts';

const remainingOf = (reply: ProbeReply): number | null =>
  reportedLimitOf(reply, 'requests')?.remaining ?? null;

/** The minimum remaining that is certainly at least one request. One can be a rounded fraction. */
const minWholeRemaining = 2;

/**
 * Returns the refusals of a key that certainly had requests left by its own headers: after an answer that reported
 * them, too few requests followed to use them up, and time only adds to them.
 */
const refusedWithRemaining = (
  decisions: readonly ProbeReply[],
  { requests }: ReturnType<typeof firstKeyHistory>,
): readonly ProbeReply[] => {
  const reporting = decisions.filter((reply) => reply.admitted && (remainingOf(reply) ?? 0) > 0);
  return decisions.filter((refusal) => {
    if (refusal.admitted) return false;
    const last = reporting.findLast(({ answered }) => answered <= refusal.sent);
    if (last === undefined) return false;
    const since = requests.filter(
      ({ from, until }) => until >= last.sent && from <= refusal.answered,
    ).length;
    // Its own remaining already includes the answer, and the refusal used nothing.
    return remainingOf(last)! - (since - 2) >= minWholeRemaining;
  });
};

/** Returns the last of each run of admissions that all report none left, if the run is longer than a refill allows. */
const admittedAtZero = (
  decisions: readonly ProbeReply[],
  { declared: { requests: rule } }: LimitLog,
): readonly ProbeReply[] => {
  const wrong: ProbeReply[] = [];
  let run: ProbeReply[] = [];
  for (const reply of decisions.filter(({ admitted }) => admitted)) {
    const remaining = remainingOf(reply);
    run = remaining !== null && remaining <= 0 ? [...run, reply] : [];
    const gained = run.length - 1;
    const time = reply.answered - (run[0]?.sent ?? reply.answered);
    // A remaining fraction can make one request out of less than one refilled request.
    if (gained > 1 && gained - 1 > (rule.limit * time) / rule.window) wrong.push(reply);
  }
  return wrong;
};

/**
 * Checks whether reported remaining agrees with the next decisions. Limits of several lengths can disagree, too, so
 * this is no violation.
 */
export const checkReported = (log: LimitLog, decisions: readonly ProbeReply[]): LimitCheck => {
  const early = refusedWithRemaining(decisions, firstKeyHistory(log));
  const late = admittedAtZero(decisions, log);
  const isSeen = decisions.some((reply) => remainingOf(reply) !== null);
  return checkReplies({
    id: 'remaining-accurate',
    claim: 'A key is refused only with nothing remaining, and admitted only with something.',
    section: '8',
    unseen: isSeen ? null : 'no response reported remaining',
    wrong: [...early, ...late],
    observed: `${early.length} were refused with requests certainly remaining, ${late.length} admitted with certainly none`,
  });
};
