import {
  advisoryCheck,
  type LimitCheck,
  type LimitFinding,
  type LimitLog,
  type LimitRule,
  type ProbeReply,
} from '../../../model/limits/limit-log.ts';
import type { LimiterIdentification, LimitFacts } from '../../../model/limits/limit-report.ts';
import { checkReplies } from './check-headers.ts';
import { isFit } from '../limiter/identify-limiter.ts';
import { findingOf, windowTolerance } from '../facts/limit-facts.ts';

export interface DecisionEvidence {
  readonly rule: LimitRule;
  /** In the order of the log; the facts contain indexes into it. */
  readonly decisions: readonly ProbeReply[];
  readonly facts: LimitFacts;
  readonly declared: LimiterIdentification;
  /** Replayed with the observed limit instead of the declared one. */
  readonly seen: LimiterIdentification | null;
  readonly permitted: LimitLog['declared']['permitted'];
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

const contextOf = (evidence: DecisionEvidence) => {
  const { decisions, declared, permitted, isAmbiguous } = evidence;
  const isRefused = decisions.some(({ admitted }) => !admitted);
  // The permitted limiters that explain every decision; their decisions are never a violation. If nothing
  // was refused, only a queue that delayed requests explains it.
  const fits =
    declared.best === null && !isRefused
      ? []
      : declared.ranking.filter((fit) => permitted.includes(fit.limiter) && isFit(fit, declared));
  return { ...evidence, isRefused, fits, isUnexplained: fits.length === 0 && !isAmbiguous };
};
type Context = ReturnType<typeof contextOf>;

const explanationText = (context: Context): string => {
  const { decisions, facts, declared, permitted, fits, isRefused } = context;
  const { most, least } = facts.mostAdmitted;
  if (!isRefused && declared.best === null && facts.overAdmitted !== 'proved')
    return `nothing was refused; at most ${most} were admitted within one window`;
  if (fits.length > 0)
    return `explained by: ${fits.map(({ limiter }) => limiter).join(', ')} (${decisions.length} decisions)`;
  if (!isRefused)
    return `none of ${decisions.length} requests was refused or delayed, ${least} of them within one window`;
  const closest = declared.ranking.find(({ limiter }) => permitted.includes(limiter));
  return `no permitted class explains ${decisions.length} decisions; the closest, ${closest?.limiter ?? 'none'}, contradicts ${closest?.wrong ?? 0}${otherLimitNote(context)}`;
};

const checkExplained = (context: Context): LimitCheck => {
  const { rule, facts, declared, fits, isRefused, isAmbiguous } = context;
  const isSeen = isRefused || declared.best !== null || facts.overAdmitted === 'proved';
  // Other users explain any refusal, and no class admits more than twice the limit.
  const isProved = isAmbiguous
    ? facts.mostAdmitted.least > 2 * rule.limit
    : [facts.overAdmitted, facts.refusedWithRoom, facts.lockedOut].includes('proved');
  const finding = isSeen ? findingOf(fits.length > 0, fits.length === 0 && isProved) : 'undecided';
  return advisoryCheck({
    id: 'limit-kept',
    claim: `A limiter of ${rule.limit} requests in ${rule.window / 1000} s explains every decision.`,
    section: '8',
    finding,
    violates: finding === 'refuted',
    observed: explanationText(context),
  });
};

/** The facts of the log as checks; only a lockout can be a fault by itself. */
const checkFacts = (context: Context): readonly LimitCheck[] => {
  const { rule, facts, decisions, fits, isRefused, isUnexplained } = context;
  const [fit] = fits;
  const { least, most } = facts.mostAdmitted;
  const wrong = facts.refusalsWithRoom.map((place) => decisions[place]!);
  const isOver = facts.overAdmitted === 'proved';
  const unclear = facts.refusedWithRoom === 'refuted' ? '' : '; some are unclear';
  const certainly = facts.lockedOut === 'refuted' ? '' : 'certainly ';
  const nothing = 'nothing was refused';
  const roomText =
    wrong.length > 0
      ? `${wrong.length} were certainly refused with room left`
      : `none was certainly refused with room left${unclear}`;
  const lockoutText =
    facts.lockedOut === 'proved'
      ? 'the key was blocked for longer than a window'
      : `no request was ${certainly}refused after a window in which nothing was admitted`;
  return [
    advisoryCheck({
      id: 'most-admitted',
      claim: `At most ${rule.limit} requests were admitted within any ${rule.window / 1000} s.`,
      section: '8',
      finding: opposite(facts.overAdmitted),
      observed: `the maximum was ${least === most ? most : `between ${least} and ${most}`}${isOver && fit !== undefined ? `, which ${fit.limiter} explains` : ''}`,
    }),
    {
      ...checkReplies({
        id: 'refused-only-when-full',
        claim: `No request was refused while fewer than ${rule.limit} had been admitted in the last ${rule.window / 1000} s.`,
        section: '8',
        wrong,
        observed: isRefused ? roomText : nothing,
      }),
      finding: isRefused ? opposite(facts.refusedWithRoom) : 'undecided',
    },
    advisoryCheck({
      id: 'no-lockout',
      claim: 'No request was refused after a whole window in which nothing was admitted.',
      section: '8',
      finding: isRefused ? opposite(facts.lockedOut) : 'undecided',
      violates: facts.lockedOut === 'proved' && isUnexplained,
      observed: isRefused ? lockoutText : nothing,
    }),
  ];
};

const checkRecovery = ({ rule, decisions, isUnexplained }: Context): LimitCheck => {
  const from = decisions.findIndex(({ admitted, phase }) => !admitted && phase === 'provocation');
  const refused = decisions[from];
  const next = decisions.slice(from + 1).find(({ admitted }) => admitted);
  const longest = rule.window + windowTolerance(rule.window);
  const waited = refused === undefined || next === undefined ? null : next.answered - refused.sent;
  const last = decisions.findLast(({ phase }) => phase === 'provocation');
  const isLate =
    refused !== undefined && waited === null && last!.sent - refused.answered > longest;
  const unrecovered =
    refused === undefined
      ? 'the key was never exhausted'
      : 'it was not admitted again during the examination';
  return advisoryCheck({
    id: 'recovery',
    claim: `An exhausted key is admitted again within ${rule.window / 1000} s.`,
    section: '8',
    finding: findingOf(waited !== null && waited <= longest * 1.05, isLate),
    violates: isLate && isUnexplained,
    observed:
      waited === null
        ? unrecovered
        : `admitted again at most ${(waited / 1000).toFixed(1)} s after the first refusal`,
  });
};

export const checkDecisions = (evidence: DecisionEvidence): readonly LimitCheck[] => {
  const context = contextOf(evidence);
  return [checkExplained(context), ...checkFacts(context), checkRecovery(context)];
};
