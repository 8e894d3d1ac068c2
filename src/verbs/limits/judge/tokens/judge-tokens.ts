import { certainCharge, ownCountRatio } from '../../../../judge/limits/facts/token-uses.ts';
import { advisoryCheck, isViolation, type LimitCheck } from '../../../../model/limits/limit-log.ts';
import { mostWithin } from '../../../../judge/limits/facts/interval-counts.ts';
import type { TokenFindings } from '../../model/token-report.ts';
import { wordsOfUnit } from '../../model/token-units.ts';
import {
  isRefused,
  type TokenLog,
  type TokenReply,
  mayBeForTokens,
} from '../../model/token-log.ts';
import {
  chargeRows,
  checkAccounting,
  checkSettling,
  caveatsText,
  seconds,
  whyAnswersAreUnseen,
} from './check-accounting.ts';
import { checkReportedTokens, otherLimits } from './check-token-headers.ts';
import { chargingOf } from './learned-charging.ts';
import { isUsageCharged } from './measured-charges.ts';
import { burstsEvidence, type BurstEvidence, areApart } from './token-bursts.ts';
import { chargesOf, roundedCount } from './token-charges.ts';
import {
  excuse,
  isTooMuchByAnyCount,
  latenessText,
  tokenGuards,
  type TokenGuards,
  whyLeastIsUnsure,
  whyMostIsUnsure,
  whyOthersMayCause,
} from './token-guards.ts';
import { whyNotReached } from './whole-bursts.ts';
import {
  evenOutcome,
  refusedAfterIdle,
  tokensExceeded,
  tokensRefusedEarly,
  wronglyNamed,
} from './token-refusals.ts';

/** The operator's promises about a gateway. */
export interface TokenPromises {
  /** Whether the operator promises (`--yes-tokens`) that nobody else uses the key, and that charges equal the usage. */
  readonly isPromised: boolean;
}

interface Evidence {
  readonly log: TokenLog;
  readonly guards: TokenGuards;
  readonly bursts: readonly BurstEvidence[];
  readonly promises: TokenPromises;
}

const section = '8';
const perWindow = (log: Pick<TokenLog, 'rule' | 'unit'>): string =>
  `${roundedCount(log.rule.tokens)} ${wordsOfUnit(log)} in ${seconds(log.rule.window)}`;

interface Finding {
  readonly isFound: boolean;
  /** A reason why the fault proves nothing; `null` if nothing excuses the fault. */
  readonly why: string | null;
  /** Whether only the operator's promise rules out an excuse. If absent, the finding needs no promise. */
  readonly restsOnPromise?: boolean;
  /** Whether the examination shows that the limit satisfies the claim. */
  readonly isProved: boolean;
  readonly observed: string;
  readonly shownBy: readonly TokenReply[];
}

/** The check of a fact. `isExcused` says that a fault was found, but an excuse keeps the check undecided. */
interface FactCheck {
  readonly check: LimitCheck;
  readonly isExcused: boolean;
}

/** Makes a check that reports a violated limit if a fault was found and nothing excuses the fault. */
const violating = (
  { id, claim }: Pick<LimitCheck, 'id' | 'claim'>,
  { isFound, why, restsOnPromise = false, isProved, observed, shownBy }: Finding,
): FactCheck => {
  const ofPromise = restsOnPromise ? '; this rests on --yes-tokens' : '';
  const addition = why === null ? ofPromise : `; but ${why}`;
  return {
    isExcused: isFound && why !== null,
    check: advisoryCheck({
      id,
      claim,
      section,
      violates: true,
      evidence: evidenceOf(shownBy),
      finding: isFound && why === null ? 'refuted' : !isFound && isProved ? 'proved' : 'undecided',
      observed: isFound ? `${observed}${addition}` : observed,
    }),
  };
};

/** A refusal is evidence of the limit only if at least this share of the limit was certainly used before it. */
const enoughUse = 0.7;
/** An even pace is evidence for the gateway only if at least this share of its requests is answered. */
const enoughAnswers = 0.95;

const mostRows = 5;

const evidenceOf = (replies: readonly TokenReply[]): readonly string[] =>
  replies
    .slice(0, mostRows)
    .map(
      ({ sent, phase, kind, prompt, status, unit }) =>
        `at ${seconds(sent)}, ${phase}: ${kind} of ${roundedCount(prompt)} tokens, ${status}${unit === null ? '' : ` for ${unit}`}`,
    );

const times = (replies: readonly TokenReply[]): string =>
  replies.length === 0 ? 'none' : `${replies.length}, the first at ${seconds(replies[0]!.sent)}`;

/** Says how many tokens were certainly charged before each burst was refused; empty if no burst was refused. */
const refusedAfter = (bursts: Evidence['bursts']): string => {
  const amounts = bursts.flatMap(({ beforeRefusal }) => beforeRefusal ?? []);
  return amounts.length === 0 ? '' : `: refused after ${amounts.map(roundedCount).join(' and ')}`;
};

/** Excuses one burst above the limit if bursts at another phase of the window were refused and did not exceed it. */
const windowEnd =
  'the end of a window explains it, since bursts at another phase were refused in time';

/** Returns the bursts that were refused after most of the limit was certainly used, and without exceeding the limit. */
const refusedInTime = ({ bursts, log }: Pick<Evidence, 'bursts' | 'log'>): Evidence['bursts'] =>
  bursts.filter(
    (burst) => burst.exceeded === null && (burst.beforeRefusal ?? 0) >= enoughUse * log.rule.tokens,
  );

const checkBurst = ({ log, guards, bursts, promises }: Evidence): FactCheck => {
  const above = bursts.filter((burst) => burst.exceeded !== null);
  const exceeded = above.flatMap(({ exceeded: found }) => found ?? []);
  const worst = exceeded[0];
  const below = refusedInTime({ bursts, log });
  const observed =
    worst === undefined
      ? `${bursts.length} bursts, none certainly above what any limiter admits${refusedAfter(bursts)}`
      : `${exceeded.length} of ${bursts.length} bursts: a request was admitted after ${roundedCount(worst.charged)} tokens were charged, where at most ${roundedCount(worst.allowed)} are allowed`;
  const isOnce = !areApart(above, log.rule.window);
  const isFound = exceeded.length > 0 && !(isOnce && below.length > 1);
  const surely = above.filter((burst) => isTooMuchByAnyCount(guards, burst));
  return violating(
    {
      id: 'token-burst',
      claim: `From idle, nothing is admitted after more than ${perWindow(log)} and what is refilled meanwhile were charged.`,
    },
    {
      isFound,
      ...(isOnce
        ? { why: 'the end of a window explains bursts at one phase' }
        : areApart(surely, log.rule.window)
          ? { why: null }
          : excuse(whyLeastIsUnsure, guards, promises)),
      isProved: below.length > 1 && worst === undefined,
      shownBy: exceeded.map(({ admission }) => admission),
      observed: isFound || worst === undefined ? observed : `${observed}; ${windowEnd}`,
    },
  );
};

const checkEnvelope = ({ log, guards, promises }: Evidence): FactCheck => {
  const [worst, ...others] = tokensExceeded(log, guards.terms).toSorted(
    (a, b) => b.charged / b.allowed - a.charged / a.allowed,
  );
  return violating(
    {
      id: 'token-envelope',
      claim:
        'In no number of windows more tokens are charged before an admission than any limiter allows.',
    },
    {
      isFound: worst !== undefined,
      ...excuse(whyLeastIsUnsure, guards, promises),
      isProved: false,
      shownBy: [],
      observed:
        worst === undefined
          ? 'the limit was not exceeded'
          : `${others.length + 1} were admitted after more, the worst after ${roundedCount(worst.charged)} tokens in ${seconds(worst.span)}, where at most ${roundedCount(worst.allowed)} are allowed`,
    },
  );
};

const checkEarly = ({ log, guards, promises }: Evidence): FactCheck => {
  const early = tokensRefusedEarly(log, guards.terms, isUsageCharged(guards.counting));
  const { sent, admitted, refused, others } = evenOutcome(log, guards.terms);
  return violating(
    {
      id: 'token-early',
      claim: `Who stays below ${perWindow(log)} at any pace is not refused for tokens.`,
    },
    {
      isFound: early.length > 0,
      ...excuse(whyMostIsUnsure, guards, promises),
      isProved: refused === 0 && admitted > 0 && others <= (1 - enoughAnswers) * sent,
      shownBy: early,
      observed:
        early.length === 0
          ? `${sent} requests at an even pace, ${refused} refused${others === 0 ? '' : `, ${others} without an answer`}`
          : `refused although too little can have been used: ${times(early)}`,
    },
  );
};

const checkRecovery = ({ log, guards, promises }: Evidence): FactCheck => {
  const refused = refusedAfterIdle(log, guards.terms);
  const looked = log.replies.filter(({ phase }) => phase === 'recovery');
  return violating(
    {
      id: 'token-recovery',
      claim: 'After two windows without a request, the next one is admitted.',
    },
    {
      isFound: refused.length > 0,
      ...excuse(whyOthersMayCause, guards, promises),
      isProved: looked.some(({ status }) => status === 200),
      shownBy: refused,
      observed:
        looked.length === 0 && refused.length === 0
          ? 'not tried'
          : `refused though idle for two windows: ${times(refused)}`,
    },
  );
};

const checkNames = ({ log, guards, promises }: Evidence): FactCheck => {
  const wrong = wronglyNamed(log);
  const named = log.replies.filter(({ unit }) => unit !== null);
  return violating(
    {
      id: 'token-names',
      claim: 'No refusal names requests where too few were sent for that.',
    },
    {
      isFound: wrong.length > 0,
      ...excuse(whyOthersMayCause, guards, promises),
      isProved: named.length > 0 && named.every(({ unit }) => unit === 'tokens'),
      shownBy: wrong,
      observed: `named requests without a cause: ${times(wrong)} of ${named.length} that name a limit`,
    },
  );
};

/** Checks how many tokens were in flight at once. Only a charge at the start of a request limits this number. */
const checkAtOnce = ({ log, bursts }: Evidence): LimitCheck => {
  const { tokens } = log.rule;
  const most = bursts.toSorted((a, b) => b.atOnce - a.atOnce)[0];
  const share = (most?.atOnce ?? 0) / tokens;
  const isMore = share > ownCountRatio;
  return advisoryCheck({
    id: 'token-at-once',
    claim: 'Requests that are sent together cannot use more than the limit.',
    violates: false,
    finding: isMore ? 'refuted' : 'undecided',
    observed: `${most?.requestsAtOnce ?? 0} in flight at once with ${share.toFixed(2)} of the limit were admitted`,
  });
};

/** Returns sentences that say why nothing shows that the limit is kept; an empty list if the limit is kept. */
const whyNotKept = (
  evidence: Evidence,
  checks: readonly LimitCheck[],
  excused: readonly LimitCheck[],
): readonly string[] => {
  const { log, guards, promises } = evidence;
  const { counting } = guards;
  const { tokens, window } = log.rule;
  const findingOf = (id: string) => checks.find((check) => check.id === id)?.finding;
  const uses = chargesOf(log.replies, guards.terms);
  const fullest = mostWithin(uses.map(certainCharge), window).most;
  const refused = log.replies.filter((reply) => isRefused(reply) && mayBeForTokens(reply));
  if (log.cut !== null) return [`the examination ended early: ${log.cut}`];
  if (refused.length === 0) {
    const byRequests = log.replies.filter(
      (reply) => isRefused(reply) && reply.unit === 'requests',
    ).length;
    if (byRequests > 0)
      return [
        `nothing was refused for tokens, and ${byRequests} for requests: the limit of tokens was never reached`,
      ];
    return fullest < guards.terms.ownCount * tokens
      ? [
          `nothing was refused for tokens: ${roundedCount(fullest)} tokens were used in the fullest window, and ${roundedCount(tokens)} were never reached`,
        ]
      : [
          `nothing was refused for tokens, after ${roundedCount(fullest)} of ${roundedCount(tokens)} in a window`,
          ...excused.map(({ observed }) => observed),
        ];
  }
  if (excused.length > 0) return excused.map(({ id, observed }) => `${id}: ${observed}`);
  return [
    ...whyNotReached(log, guards, evidence.bursts),
    ...(counting.finding === 'less' || counting.finding === 'more'
      ? [`by the remaining tokens ${(counting.ratio ?? 0).toFixed(2)} times the usage is charged`]
      : []),
    ...(guards.settling.isLate ? [latenessText(guards.settling)] : []),
    ...whyAnswersAreUnseen(guards, log, promises),
    ...(log.isQuick
      ? ['whether it refuses below the limit was not examined (--tokens quick)']
      : []),
    ...(!log.isQuick && findingOf('token-early') !== 'proved'
      ? ['an even pace below the limit was refused or not answered, and nothing proves why']
      : []),
    ...(findingOf('token-recovery') === 'proved' ? [] : ['nothing shows that it recovers']),
  ];
};

/** Returns when a prompt is charged. Only a burst shows a charge at the end: a small chat can overtake a stream. */
const chargedAtOf = ({ log, guards, bursts }: Evidence): TokenFindings['chargedAt'] => {
  const isReserved = log.replies.some(
    (reply) => reply.phase === 'reserve' && isRefused(reply) && reply.unit === 'tokens',
  );
  if (isReserved) return 'reserved';
  if (guards.when === 'admission') return 'admission';
  const isAhead = bursts.some((burst) => burst.isAheadOfCharges && burst.exceeded === null);
  return guards.when === 'later' && isAhead ? 'end' : null;
};

/**
 * Returns how many requests, with more tokens together than the limit, were admitted at once, and how many times the
 * limit they can use; `null` if there were none. If requests are charged at their end, each can fill the context.
 */
const atOnceOf = (
  { log, guards, bursts }: Evidence,
  chargedAt: TokenFindings['chargedAt'],
): TokenFindings['atOnce'] => {
  const { tokens } = log.rule;
  const most = bursts.toSorted((a, b) => b.atOnce - a.atOnce)[0];
  const isAtStart = chargedAt === 'reserved' || chargedAt === 'admission';
  if (isAtStart || most === undefined || most.atOnce <= guards.terms.ownCount * tokens) return null;
  const requests = most.requestsAtOnce;
  const each = chargedAt === 'end' ? (log.context ?? 0) : 0;
  return { requests, limits: Math.max(most.atOnce, requests * each) / tokens };
};

/** Returns whether the gateway refused a burst only above the limit, because it charges at the end of answers. */
const isChargedAtEnd = (evidence: Evidence): boolean =>
  chargedAtOf(evidence) === 'end' &&
  evidence.bursts.some(({ beforeRefusal }) => (beforeRefusal ?? 0) > evidence.log.rule.tokens);

/** Judges an examination of a limit of tokens. Only facts that no limiter with this limit can cause are violations. */
export const judgeTokenLog = (log: TokenLog, promises: TokenPromises): TokenFindings => {
  const guards = tokenGuards(log);
  const evidence = { log, guards, promises, bursts: burstsEvidence(log, guards.terms) };
  const facts = [
    checkBurst(evidence),
    checkEnvelope(evidence),
    checkEarly(evidence),
    checkRecovery(evidence),
    checkNames(evidence),
  ];
  const checks = [
    ...facts.map(({ check }) => check),
    checkReportedTokens(log, guards),
    checkAtOnce(evidence),
    checkAccounting(guards),
    checkSettling(guards),
  ];
  const excused = facts.filter(({ isExcused }) => isExcused).map(({ check }) => check);
  const violations = checks.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`);
  const reported = otherLimits(log);
  if (violations.length > 0 && reported.length > 0)
    violations.push(
      `the declared limit may be wrong: the headers say ${reported.map(roundedCount).join(' and ')}, not ${roundedCount(log.rule.tokens)}`,
    );
  const undecided = whyNotKept(evidence, checks, excused);
  const chargedAt = chargedAtOf(evidence);
  const verdict = violations.length > 0 ? 'violated' : undecided.length > 0 ? 'undecided' : 'kept';
  const inTime = refusedInTime(evidence);
  const above = evidence.bursts.filter(({ exceeded }) => exceeded !== null).length;
  const kept = [
    `${inTime.length} of ${evidence.bursts.length} bursts were refused, and not certainly too late${refusedAfter(inTime)} of ${roundedCount(log.rule.tokens)} tokens${isChargedAtEnd(evidence) ? ' (all that was sent before the first charge)' : ''}${above > 0 ? `; in ${above} more was admitted: ${windowEnd}` : ''}; an even pace below the limit never was, and the key recovered${guards.hasRemaining ? '' : '; no header shows what is charged'}${caveatsText(guards, log)}${log.replies.some(({ phase }) => phase === 'sustained') ? '' : '; a rate above the limit for many windows was not tried (--sustain 6)'}`,
  ];
  const reasons = { violated: violations, undecided, kept }[verdict];
  return {
    verdict,
    ...(promises.isPromised ? { isPromised: true } : {}),
    reasons,
    checks,
    charges: chargeRows(guards.charges),
    chargedAt,
    // `charging` is for the pace of a client, which counts all tokens. So only an examination of all tokens sets it.
    ...(log.unit === undefined ? { charging: chargingOf(guards, chargedAt) } : {}),
    bursts: evidence.bursts.map(({ count, refused, admitted, beforeRefusal, atOnce }, i) => ({
      burst: i + 1,
      admitted: count,
      refused,
      tokens: admitted,
      before: beforeRefusal,
      atOnce,
    })),
    atOnce: atOnceOf(evidence, chargedAt),
  };
};
