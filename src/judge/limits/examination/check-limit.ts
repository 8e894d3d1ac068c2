import type {
  LimitFinding,
  LimitCheck,
  LimitLog,
  LimitRule,
  ProbeReply,
} from '../../../model/limits/limit-log.ts';
import type {
  LimiterIdentification,
  LimiterFit,
  LimitFacts,
} from '../../../model/limits/limit-report.ts';
import { replyEvidence } from './check-headers.ts';
import { isFit } from '../limiter/identify-limiter.ts';
import { windowTolerance } from '../facts/limit-facts.ts';

/** Checks of the decisions themselves: who was let in, and when. */

/** What the checks of decisions stand on. */
export interface DecisionEvidence {
  readonly rule: LimitRule;
  /** The decisions, in the order of the log that the facts speak of. */
  readonly decisions: readonly ProbeReply[];
  readonly facts: LimitFacts;
  readonly identification: LimiterIdentification;
  /** Replayed with the limit that was seen instead of the declared one. */
  readonly seen: LimiterIdentification | null;
  readonly permitted: LimitLog['declared']['permitted'];
  /** The permitted limiters that explain every decision; what one does is no violation, however odd. */
  readonly fits: readonly LimiterFit[];
  /** Whether somebody else was seen to spend the key's requests, or some may have been spent without an answer that tells, or tokens may have been used up: each explains refusals. */
  readonly isAmbiguous: boolean;
}

const opposite = (finding: LimitFinding): LimitFinding =>
  finding === 'proved' ? 'refuted' : finding === 'refuted' ? 'proved' : 'undecided';

/** How many were let in before the first refusal: the limit of a gateway that does not keep the declared one. */
export const observedLimit = (decisions: readonly ProbeReply[]): number | null => {
  const first = decisions.findIndex(({ admitted }) => !admitted);
  return first <= 0 ? null : first;
};

/** What a limit that was seen in place of the declared one looks like. Workers whose windows began apart are no limiter that could be replayed; what they let in tells of them all the same. */
const otherLimitNote = ({ seen, decisions, rule }: DecisionEvidence): string => {
  const best = seen?.best ?? null;
  const limit = best?.limit ?? observedLimit(decisions);
  if (limit === null) return '';
  const times = limit / rule.limit;
  const isMultiple = Number.isInteger(times) && times > 1;
  const workers = `, ${times} times the declared one, as of ${times} workers that share no counter`;
  if (best !== null) {
    return `; ${best.limiter} with a limit of ${limit} does${isMultiple ? workers : ''}`;
  }
  return isMultiple
    ? `; ${limit} were let in before the first refusal${workers}, or of a shorter window`
    : '';
};

/** The permitted limiters that explain what was decided; where nothing was refused, only a queue that was seen to delay is one. */
export const permittedFits = ({
  decisions,
  identification,
  permitted,
}: Pick<DecisionEvidence, 'decisions' | 'identification' | 'permitted'>): readonly LimiterFit[] =>
  identification.best === null && decisions.every(({ admitted }) => admitted)
    ? []
    : identification.ranking.filter(
        (fit) => permitted.includes(fit.limiter) && isFit(fit, identification),
      );

/** Whether some permitted class of limiter explains what was decided. */
export const checkExplained = (decisionEvidence: DecisionEvidence): LimitCheck => {
  const { rule, decisions, facts, identification, fits, isAmbiguous, permitted } = decisionEvidence;
  const words = `${rule.limit} requests in ${rule.window / 1000} s`;
  const isRefused = decisions.some(({ admitted }) => !admitted);
  const isSeen = isRefused || identification.best !== null || facts.overAdmitted === 'proved';
  // What others spend explains any refusal, and no class lets more than twice the limit through.
  const isProved = isAmbiguous
    ? facts.mostAdmitted.least > 2 * rule.limit
    : [facts.overAdmitted, facts.refusedWithRoom, facts.lockedOut].includes('proved');
  const finding: LimitFinding = !isSeen
    ? 'undecided'
    : fits.length > 0
      ? 'proved'
      : isProved
        ? 'refuted'
        : 'undecided';
  const closest = identification.ranking.find(({ limiter }) => permitted.includes(limiter));
  return {
    id: 'limit-kept',
    claim: `A limiter of ${words} explains every decision.`,
    section: '8',
    finding,
    violates: finding === 'refuted',
    observed: !isSeen
      ? `nothing was refused; the most let in within one window was ${facts.mostAdmitted.most}`
      : fits.length > 0
        ? `explained by: ${fits.map(({ limiter }) => limiter).join(', ')} (${decisions.length} decisions)`
        : !isRefused
          ? `none of ${decisions.length} requests was refused or delayed, ${facts.mostAdmitted.least} of them within one window`
          : `no permitted class explains ${decisions.length} decisions; the closest, ${closest?.limiter ?? 'none'}, has ${closest?.wrong ?? 0} wrong${otherLimitNote(decisionEvidence)}`,
    evidence: [],
  };
};

/** The facts of the log as checks; none is a fault by itself. */
export const checkFacts = (decisionEvidence: DecisionEvidence): readonly LimitCheck[] => {
  const { rule, facts, decisions, fits, isAmbiguous } = decisionEvidence;
  const [fit] = fits;
  const { least, most } = facts.mostAdmitted;
  const refusedWithRoom = facts.refusalsWithRoom.map((place) => decisions[place]!);
  const isRefused = decisions.some(({ admitted }) => !admitted);
  return [
    {
      id: 'most-admitted',
      claim: `No more than ${rule.limit} were let in within any ${rule.window / 1000} s.`,
      section: '8',
      finding: opposite(facts.overAdmitted),
      violates: false,
      observed: `the most was ${least === most ? most : `between ${least} and ${most}`}${facts.overAdmitted === 'proved' && fit !== undefined ? `, which ${fit.limiter} explains` : ''}`,
      evidence: [],
    },
    {
      id: 'refused-only-when-full',
      claim: `No request was refused while fewer than ${rule.limit} had been let in during the last ${rule.window / 1000} s.`,
      section: '8',
      finding: isRefused ? opposite(facts.refusedWithRoom) : 'undecided',
      violates: false,
      observed: !isRefused
        ? 'nothing was refused'
        : refusedWithRoom.length > 0
          ? `${refusedWithRoom.length} were refused with room left, for certain`
          : `none was refused with room left, for certain${facts.refusedWithRoom === 'refuted' ? '' : '; of some it cannot be told'}`,
      evidence: replyEvidence(refusedWithRoom),
    },
    {
      id: 'no-lockout',
      claim: 'No request was refused after a whole window in which nothing was let in.',
      section: '8',
      finding: isRefused ? opposite(facts.lockedOut) : 'undecided',
      violates: facts.lockedOut === 'proved' && fits.length === 0 && !isAmbiguous,
      observed: isRefused
        ? facts.lockedOut === 'proved'
          ? 'the key was locked out for longer than a window'
          : `no request was refused after a window in which nothing was let in${facts.lockedOut === 'refuted' ? '' : ', as far as can be told'}`
        : 'nothing was refused',
      evidence: [],
    },
  ];
};

/** Whether an exhausted key is let in again within a window. */
export const checkRecovery = ({
  rule,
  decisions,
  fits,
  isAmbiguous,
}: DecisionEvidence): LimitCheck => {
  const from = decisions.findIndex(({ admitted, phase }) => !admitted && phase === 'provocation');
  const refused = decisions[from];
  const next = decisions.slice(from + 1).find(({ admitted }) => admitted);
  const longest = rule.window + windowTolerance(rule.window);
  const waited = refused === undefined || next === undefined ? null : next.answered - refused.sent;
  const last = decisions.findLast(({ phase }) => phase === 'provocation');
  const isLate =
    refused !== undefined && waited === null && last!.sent - refused.answered > longest;
  return {
    id: 'recovery',
    claim: `An exhausted key is let in again within ${rule.window / 1000} s.`,
    section: '8',
    finding: isLate
      ? 'refuted'
      : waited === null || waited > longest * 1.05
        ? 'undecided'
        : 'proved',
    violates: isLate && fits.length === 0 && !isAmbiguous,
    observed:
      refused === undefined
        ? 'the key was never exhausted'
        : waited === null
          ? 'it was not let in again while it was watched'
          : `let in again at most ${(waited / 1000).toFixed(1)} s after the first refusal`,
    evidence: [],
  };
};
