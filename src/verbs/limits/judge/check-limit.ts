import {
  advisoryCheck,
  type LimitCheck,
  type LimitFinding,
  type LimitRule,
  type ProbeReply,
} from '../../../model/limits/limit-log.ts';
import type { LimitFacts } from '../../../model/limits/limit-facts.ts';
import { limitsOfRate } from '../model/limits-of-rate.ts';
import { checkReplies } from './check-answers.ts';
import { findingOf, longestWindow } from '../../../judge/limits/facts/rule-bounds.ts';

interface DecisionEvidence {
  readonly rule: LimitRule;
  /** The decisions in the order of the log. Facts refer to a decision by its index. */
  readonly decisions: readonly ProbeReply[];
  /** The decisions on paced requests, of every kind. */
  readonly paced: readonly ProbeReply[];
  readonly facts: LimitFacts;
  /**
   * A cause of refusals other than the limit of requests: other users of the key, or used-up tokens; `null` if nothing
   * suggests one.
   */
  readonly otherCause: string | null;
}

const sectionCheck = (check: Parameters<typeof advisoryCheck>[0]): LimitCheck =>
  advisoryCheck({ section: '8', ...check });

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;

const opposite = (finding: LimitFinding): LimitFinding =>
  finding === 'proved' ? 'refuted' : finding === 'refuted' ? 'proved' : 'undecided';

const ruleText = ({ limit, window }: LimitRule): string =>
  `${limit} requests in ${window / 1000} s`;

const mostText = ({ mostAdmitted: { least, most } }: LimitFacts): string =>
  least === most ? String(most) : `between ${least} and ${most}`;

const checkEnvelope = ({ rule, facts, decisions }: DecisionEvidence): LimitCheck => {
  const { finding, worst } = facts.envelope;
  return sectionCheck({
    id: 'over-admission',
    claim: `In no span were more admitted than a limiter of ${ruleText(rule)} can admit.`,
    finding: decisions.length === 0 ? 'undecided' : finding,
    violates: true,
    observed:
      worst === null
        ? `at most ${mostText(facts)} within ${seconds(rule.window)}`
        : `${worst.admitted} were admitted within ${seconds(worst.span)}, where any limiter admits at most ${worst.allowed}`,
  });
};

const checkBursts = ({ rule, facts }: DecisionEvidence): LimitCheck => {
  const { isExceeded } = facts.burst;
  const bursts = facts.burst.bursts.filter(({ isAfterIdle }) => isAfterIdle);
  const isKept = bursts.every(({ admitted, allowed }) => admitted <= allowed);
  const each = bursts.map(
    ({ admitted, span, allowed }) =>
      `${admitted} within ${seconds(span)} (at most ${Math.floor(allowed)} are allowed)`,
  );
  const lone = !isKept && !isExceeded ? '; a window’s boundary within a burst can explain it' : '';
  return sectionCheck({
    id: 'burst',
    claim: `An idle key is admitted at most ${rule.limit} requests at once, and what is refilled meanwhile.`,
    finding: findingOf(bursts.length > 0 && isKept, isExceeded),
    violates: true,
    observed:
      bursts.length === 0
        ? 'no burst came after an idle window'
        : `admitted: ${each.join(', ')}${lone}`,
  });
};

/**
 * Changes a refuted check to undecided if the refusals may have another cause, and adds this cause to the observation.
 */
const unlessCaused = (check: LimitCheck, cause: string | null): LimitCheck =>
  check.finding === 'refuted' && cause !== null
    ? { ...check, finding: 'undecided', observed: `${check.observed}; but ${cause}` }
    : check;

/**
 * With fewer evenly sent requests than this share of the limit, the log cannot show that the gateway admits them all.
 */
const minPacedShare = 0.3;

const checkEvenPace = (evidence: DecisionEvidence): LimitCheck => {
  const { rule, facts, otherCause } = evidence;
  const { paced, refusals, seenLimit } = facts.even;
  const isEnough = paced >= Math.max(2, minPacedShare * rule.limit);
  const seen =
    seenLimit === null || refusals.length > 0
      ? ''
      : `; they would have shown a limit below ${seenLimit}`;
  const check = checkReplies({
    id: 'even-pace',
    claim: `A client that keeps an even pace below ${ruleText(rule)} is never refused.`,
    section: '8',
    violates: true,
    wrong: refusals.map((place) => evidence.paced[place]!),
    observed: `${refusals.length} of ${paced} evenly sent requests were refused${seen}`,
  });
  return unlessCaused({ ...check, finding: findingOf(isEnough, refusals.length > 0) }, otherCause);
};

const checkSustained = ({ rule, facts, otherCause }: DecisionEvidence): LimitCheck => {
  const { sustained } = facts;
  const id = 'sustained-rate';
  const claim = `Under a load that always asks for more, ${rule.limit} requests are admitted in each ${seconds(rule.window)}.`;
  if (sustained === null)
    return sectionCheck({ id, claim, finding: 'undecided', observed: 'not tried' });
  const { windows, admitted, rate, isLow, isShort } = sustained;
  const bounds = limitsOfRate(rate);
  const most = bounds.most ?? 'more, since the load can have been lower';
  const low = isLow ? ', less than declared unless refusals count' : '';
  const finding = findingOf(rate.most !== null && !isLow, isShort);
  const observed = `${admitted} were admitted in ${windows.toFixed(1)} windows: a limit of ${bounds.least} to ${most}${low}`;
  return unlessCaused(sectionCheck({ id, claim, finding, violates: true, observed }), otherCause);
};

const checkFindings = (evidence: DecisionEvidence): readonly LimitCheck[] => {
  const { rule, facts, decisions } = evidence;
  const isRefused = decisions.some(({ admitted }) => !admitted);
  const wrong = facts.refusalsWithRoom.map((place) => decisions[place]!);
  const unclear = facts.refusedWithRoom === 'refuted' ? '' : '; some are unclear';
  const certainly = facts.lockedOut === 'refuted' ? '' : 'certainly ';
  const nothing = 'nothing was refused';
  const atOnce = Math.max(0, ...facts.burst.bursts.map(({ admitted }) => admitted));
  const burst = atOnce === 0 ? '' : `: at most ${atOnce} at once`;
  const roomText =
    wrong.length > 0
      ? `${wrong.length} were certainly refused although fewer had been admitted${burst}`
      : `none was certainly refused with room left${unclear}`;
  const lockoutText =
    facts.lockedOut === 'proved'
      ? 'the key was blocked for longer than a window'
      : `no request was ${certainly}refused after a window in which nothing was admitted`;
  return [
    sectionCheck({
      id: 'most-admitted',
      claim: `At most ${rule.limit} requests were admitted within any ${rule.window / 1000} s.`,
      finding: opposite(facts.overAdmitted),
      observed: `the maximum was ${mostText(facts)}`,
    }),
    {
      ...checkReplies({
        id: 'refused-only-when-full',
        claim: `No request was refused while fewer than ${rule.limit} had been admitted in the two windows before it.`,
        section: '8',
        wrong,
        observed: isRefused ? roomText : nothing,
      }),
      finding: isRefused ? opposite(facts.refusedWithRoom) : 'undecided',
    },
    sectionCheck({
      id: 'no-lockout',
      claim: 'No request was refused after a whole window in which nothing was admitted.',
      finding: isRefused ? opposite(facts.lockedOut) : 'undecided',
      observed: isRefused ? lockoutText : nothing,
    }),
  ];
};

const checkRecovery = ({ rule, decisions }: DecisionEvidence): LimitCheck => {
  const from = decisions.findIndex(({ admitted, phase }) => !admitted && phase === 'provocation');
  const refused = decisions[from];
  const next = decisions.slice(from + 1).find(({ admitted }) => admitted);
  const longest = longestWindow(rule.window);
  const waited = refused === undefined || next === undefined ? null : next.answered - refused.sent;
  const last = decisions.findLast(({ phase }) => phase === 'provocation');
  const isLate =
    refused !== undefined && waited === null && last!.sent - refused.answered > longest;
  const unrecovered =
    refused === undefined
      ? 'the key was never exhausted'
      : 'it was not admitted again during the examination';
  return sectionCheck({
    id: 'recovery',
    claim: `An exhausted key is admitted again within ${rule.window / 1000} s.`,
    finding: findingOf(waited !== null && waited <= longest * 1.1, isLate),
    observed:
      waited === null
        ? unrecovered
        : `admitted again at most ${(waited / 1000).toFixed(1)} s after the first refusal`,
  });
};

/** Checks whether the gateway admits a key that was idle for two windows, as every limiter that keeps the rule does. */
const checkIdle = ({ facts, paced, otherCause }: DecisionEvidence): LimitCheck => {
  const { refusals, times } = facts.idle;
  const check = checkReplies({
    id: 'idle-admitted',
    claim: 'After two windows without a request a key is admitted.',
    section: '8',
    violates: true,
    unseen: times === 0 ? 'the key was never idle for two windows' : null,
    wrong: refusals.map((place) => paced[place]!),
    observed: `${refusals.length} requests were refused although the key had been idle for two windows`,
  });
  return unlessCaused(check, otherCause);
};

export const checkDecisions = (evidence: DecisionEvidence): readonly LimitCheck[] => [
  checkEnvelope(evidence),
  checkBursts(evidence),
  checkEvenPace(evidence),
  checkIdle(evidence),
  checkSustained(evidence),
  ...checkFindings(evidence),
  checkRecovery(evidence),
];
