import {
  type LimitFinding,
  type LimitCheck,
  type LimitLog,
  type LimitRule,
  type ProbeReply,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';
import type {
  LimiterIdentification,
  LimiterFit,
  LimitFacts,
} from '../../../model/limits/limit-report.ts';
import { replyEvidence } from './check-headers.ts';
import { isFit } from '../limiter/identify-limiter.ts';
import { findingOf, windowTolerance } from '../facts/limit-facts.ts';

export interface DecisionEvidence {
  readonly rule: LimitRule;
  /** In the order of the log; the facts contain indexes into it. */
  readonly decisions: readonly ProbeReply[];
  readonly facts: LimitFacts;
  readonly identification: LimiterIdentification;
  /** Replayed with the observed limit instead of the declared one. */
  readonly seen: LimiterIdentification | null;
  readonly permitted: LimitLog['declared']['permitted'];
  /** The permitted limiters that explain every decision; their decisions are never a violation. */
  readonly fits: readonly LimiterFit[];
  /** Whether other users of the key, requests without a decision, or used-up tokens can explain refusals. */
  readonly isAmbiguous: boolean;
}

const opposite = (finding: LimitFinding): LimitFinding =>
  finding === 'proved' ? 'refuted' : finding === 'refuted' ? 'proved' : 'undecided';

/** The requests admitted before the first refusal: the limit of a gateway that does not apply the declared one. */
export const observedLimit = (decisions: readonly ProbeReply[]): number | null => {
  const first = decisions.findIndex(({ admitted }) => !admitted);
  return first <= 0 ? null : first;
};

/** Describes an observed limit. Workers with separate windows are not a limiter that can be replayed, but the number they admit shows them. */
const otherLimitNote = ({ seen, decisions, rule }: DecisionEvidence): string => {
  const best = seen?.best ?? null;
  const limit = best?.limit ?? observedLimit(decisions);
  if (limit === null) return '';
  const times = limit / rule.limit;
  const isMultiple = Number.isInteger(times) && times > 1;
  const workers = `, ${times} times the declared one, as with ${times} workers that share no counter`;
  if (best !== null) {
    return `; ${best.limiter} with a limit of ${limit} explains them${isMultiple ? workers : ''}`;
  }
  return isMultiple
    ? `; ${limit} were admitted before the first refusal${workers}, or with a shorter window`
    : '';
};

/** The permitted limiters that explain the decisions; if nothing was refused, only a queue that delayed requests. */
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

export const checkExplained = (decisionEvidence: DecisionEvidence): LimitCheck => {
  const { rule, decisions, facts, identification, fits, isAmbiguous, permitted } = decisionEvidence;
  const words = `${rule.limit} requests in ${rule.window / 1000} s`;
  const isRefused = decisions.some(({ admitted }) => !admitted);
  const isSeen = isRefused || identification.best !== null || facts.overAdmitted === 'proved';
  // Other users explain any refusal, and no class admits more than twice the limit.
  const isProved = isAmbiguous
    ? facts.mostAdmitted.least > 2 * rule.limit
    : [facts.overAdmitted, facts.refusedWithRoom, facts.lockedOut].includes('proved');
  const finding = isSeen ? findingOf(fits.length > 0, fits.length === 0 && isProved) : 'undecided';
  const closest = identification.ranking.find(({ limiter }) => permitted.includes(limiter));
  return {
    id: 'limit-kept',
    claim: `A limiter of ${words} explains every decision.`,
    section: '8',
    finding,
    violates: finding === 'refuted',
    observed: !isSeen
      ? `nothing was refused; at most ${facts.mostAdmitted.most} were admitted within one window`
      : fits.length > 0
        ? `explained by: ${fits.map(({ limiter }) => limiter).join(', ')} (${decisions.length} decisions)`
        : !isRefused
          ? `none of ${decisions.length} requests was refused or delayed, ${facts.mostAdmitted.least} of them within one window`
          : `no permitted class explains ${decisions.length} decisions; the closest, ${closest?.limiter ?? 'none'}, contradicts ${closest?.wrong ?? 0}${otherLimitNote(decisionEvidence)}`,
    evidence: [],
  };
};

/** The facts of the log as checks; none of them is a fault by itself. */
export const checkFacts = (decisionEvidence: DecisionEvidence): readonly LimitCheck[] => {
  const { rule, facts, decisions, fits, isAmbiguous } = decisionEvidence;
  const [fit] = fits;
  const { least, most } = facts.mostAdmitted;
  const refusedWithRoom = facts.refusalsWithRoom.map((place) => decisions[place]!);
  const isRefused = decisions.some(({ admitted }) => !admitted);
  return [
    advisoryCheck({
      id: 'most-admitted',
      claim: `At most ${rule.limit} requests were admitted within any ${rule.window / 1000} s.`,
      section: '8',
      finding: opposite(facts.overAdmitted),
      observed: `the maximum was ${least === most ? most : `between ${least} and ${most}`}${facts.overAdmitted === 'proved' && fit !== undefined ? `, which ${fit.limiter} explains` : ''}`,
    }),
    advisoryCheck({
      id: 'refused-only-when-full',
      claim: `No request was refused while fewer than ${rule.limit} had been admitted in the last ${rule.window / 1000} s.`,
      section: '8',
      finding: isRefused ? opposite(facts.refusedWithRoom) : 'undecided',
      observed: !isRefused
        ? 'nothing was refused'
        : refusedWithRoom.length > 0
          ? `${refusedWithRoom.length} were certainly refused with room left`
          : `none was certainly refused with room left${facts.refusedWithRoom === 'refuted' ? '' : '; some are unclear'}`,
      evidence: replyEvidence(refusedWithRoom),
    }),
    {
      id: 'no-lockout',
      claim: 'No request was refused after a whole window in which nothing was admitted.',
      section: '8',
      finding: isRefused ? opposite(facts.lockedOut) : 'undecided',
      violates: facts.lockedOut === 'proved' && fits.length === 0 && !isAmbiguous,
      observed: isRefused
        ? facts.lockedOut === 'proved'
          ? 'the key was blocked for longer than a window'
          : `no request was ${facts.lockedOut === 'refuted' ? '' : 'certainly '}refused after a window in which nothing was admitted`
        : 'nothing was refused',
      evidence: [],
    },
  ];
};

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
    claim: `An exhausted key is admitted again within ${rule.window / 1000} s.`,
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
          ? 'it was not admitted again during the examination'
          : `admitted again at most ${(waited / 1000).toFixed(1)} s after the first refusal`,
    evidence: [],
  };
};
