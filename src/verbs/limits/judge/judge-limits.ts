import {
  isViolation,
  type LimitCheck,
  type LimitLog,
  type LimitRule,
  type ProbeReply,
} from '../../../model/limits/limit-log.ts';
import type { LimitFacts } from '../../../model/limits/limit-facts.ts';
import type { LimitJudgement } from '../model/limit-report.ts';
import type { LimiterIdentification } from '../../../model/limits/limiter-fit.ts';
import { blockedPeriods } from './facts/blocked-periods.ts';
import { limitFacts } from './facts/limit-facts.ts';
import { shortestWindow } from '../../../judge/limits/facts/rule-bounds.ts';
import { isDelayed } from '../../../judge/limits/limiter/answer-delays.ts';
import { type QueuePace, queuePace } from '../../../judge/limits/limiter/queue-pace.ts';
import { checkCounting, checkExhausted } from './check-counting.ts';
import { checkFit, fitText } from './other-limit.ts';
import { checkOtherLimits } from './check-other-limits.ts';
import { checkHeaders, checkRefusals, mayBeTokenRefusal } from './check-answers.ts';
import { checkReported, checkHiddenSpender, checkRemaining } from './check-remaining.ts';
import { checkTokenLimit, judgeTokens } from './check-tokens.ts';
import { checkDecisions } from './check-limit.ts';
import {
  evenlyDecided,
  firstKeyHistory,
  limiterDecisions,
  tokenRefusals,
  undecidedChats,
} from './limiter-decisions.ts';
import { nameLimiter, reportedRequests } from './name-limiter.ts';

/** Returns why refusals may have a cause other than the limit of requests; `null` if no such cause was found. */
const otherCauseOf = (log: LimitLog, decisions: readonly ProbeReply[]): string | null => {
  if (checkHiddenSpender(log).finding === 'refuted') return 'someone else uses the key';
  if (log.unanswered.length > 0) return 'requests without an answer can have been counted';
  const mayBeTokens = decisions.some((reply) => mayBeTokenRefusal(log, reply));
  return mayBeTokens ? 'refusals can be for used-up tokens' : null;
};

/** If more than this share of the chats were neither admitted nor refused, the log decides nothing. */
const maxUndecidedShare = 0.2;

/**
 * Returns whether a fact or an identified limiter proves that the limit is kept. It is not enough that no violation was
 * seen.
 */
const isShown = ({ envelope, sustained }: LimitFacts, { best }: LimiterIdentification): boolean =>
  best !== null || envelope.finding === 'proved' || (sustained?.rate.most ?? null) !== null;

const maxCapErrors = 0.02;

const isUnexplainedLow = (
  { even, sustained }: LimitFacts,
  { best }: LimiterIdentification,
): boolean =>
  sustained !== null &&
  sustained.isLow &&
  best?.limiter !== 'sliding-log-counting-refusals' &&
  (even.seenLimit ?? 0) <= (sustained.rate.most ?? Infinity);

/** Returns whether a cap on requests in flight can explain every refusal. */
const isCap = ({ best, ties, runnerUp, decisions }: LimiterIdentification): boolean =>
  [best ?? runnerUp, ...ties].some(
    (fit) => fit?.limiter === 'in-flight' && fit.wrong <= maxCapErrors * decisions,
  );

/**
 * Returns the time in ms between two requests that a limiter passed on at the rule's pace; `null` if no requests were
 * passed on at this pace.
 */
const limitedPace = (pace: QueuePace | null): number | null =>
  pace === null || pace.canBeServer || pace.match !== 'own' ? null : pace.spacing.value;

const spacingText = (spacing: number): string => `${Number((spacing / 1000).toPrecision(3))} s`;

/** Returns why neither a refusal nor a delay shows a limit on a rate; `null` if one of them does. */
const whyUnlimited = (
  decisions: readonly ProbeReply[],
  identification: LimiterIdentification,
  rule: LimitRule,
  forTokens: number,
): string | null => {
  if (isCap(identification)) {
    return 'a cap on requests in flight explains every refusal, and such a cap limits no rate';
  }
  const isLimited =
    decisions.some(({ admitted }) => !admitted) || identification.best?.limiter === 'leaky-queue';
  if (isLimited) return null;
  if (forTokens > 0) {
    return `nothing was refused for requests, only chats for tokens (${forTokens}): the limit of requests was never reached`;
  }
  return isDelayed(decisions, rule)
    ? 'nothing was refused, and the delays show no rate'
    : 'nothing was refused or delayed: the limit was never reached';
};

/** Returns why the log does not show whether the limit is kept; `null` if no reason was found. */
const whyUndecided = (
  log: LimitLog,
  decisions: readonly ProbeReply[],
  facts: LimitFacts,
  identification: LimiterIdentification,
  pace: QueuePace | null,
): string | null => {
  if (log.cut !== null) return `the examination ended early: ${log.cut}`;
  const rule = log.declared.requests;
  const failed = undecidedChats(log).length;
  if (failed > maxUndecidedShare * (decisions.length + failed)) {
    return `${failed} of ${decisions.length + failed} chats failed for reasons that are not the limit’s`;
  }
  const isPaced = limitedPace(pace) !== null;
  const unlimited = isPaced
    ? null
    : whyUnlimited(decisions, identification, rule, tokenRefusals(log).length);
  if (unlimited !== null) return unlimited;
  if (identification.best === null && pace?.isFaster === true) {
    const expected = spacingText(rule.window / rule.limit);
    return `what waited was let through every ${spacingText(pace.spacing.value)}, where the limit is one every ${expected}: by a limiter of another rate, or by a server that is no faster`;
  }
  if (isUnexplainedLow(facts, identification)) {
    return 'of a load above the limit less than the limit was admitted, and nothing shows that this is because refusals count';
  }
  const [likelier] = identification.likelier;
  const spender = checkHiddenSpender(log);
  if (spender.finding === 'refuted' && likelier !== undefined)
    return `someone else uses the key: ${spender.observed}`;
  if (likelier !== undefined) {
    return `another limit explains the decisions better than the declared one (${fitText(likelier)}), but not beyond doubt`;
  }
  if (isPaced || isShown(facts, identification)) return null;
  const { least, most } = facts.mostAdmitted;
  return `between ${least} and ${most} were admitted within a window, and no limiter that we know explains it`;
};

/**
 * If the closest class contradicts more than this share of the decisions, the class is refuted. A limiter that locks
 * the key for a window contradicts at least 5 % of the decisions.
 */
const maxContradicted = 0.03;

/**
 * Returns whether each refusal seems to lock the key for a window. This is so if no class explains the decisions, and
 * most blocked periods lasted a window or longer. Under a load above the limit, a limiter with a window or a bucket
 * admits again sooner.
 */
const isLikeLock = (
  decisions: readonly ProbeReply[],
  { window }: LimitRule,
  { best, runnerUp, decisions: judged }: LimiterIdentification,
): boolean => {
  if (best !== null || runnerUp === null || runnerUp.wrong <= maxContradicted * judged)
    return false;
  const periods = blockedPeriods(decisions).toSorted((a, b) => a - b);
  return periods.length > 1 && periods[(periods.length - 1) >> 1]! >= shortestWindow(window);
};

/** Returns sentences about bursts and lockouts that look like faults and that no limiter explains. */
const unexplainedFacts = (
  { burst, lockedOut }: LimitFacts,
  { best, ties }: LimiterIdentification,
): readonly string[] => {
  const idle = burst.bursts.filter(({ isAfterIdle }) => isAfterIdle);
  // A quick examination has only the burst at its start. The end of a window, or a step of a refill, explains any burst
  // up to twice the limit.
  const judged = idle.length > 0 ? idle : burst.bursts;
  const exceeding = judged.filter(({ admitted, allowed }) => admitted > allowed);
  const isStepped =
    idle.length > 0 && [best, ...ties].some((fit) => fit?.limiter === 'stepped-bucket');
  const isExcused = exceeding.length > 1 || exceeding.length === judged.length;
  const [worst] = exceeding.toSorted((a, b) => b.admitted - b.allowed - (a.admitted - a.allowed));
  return [
    ...(worst !== undefined && isExcused && !isStepped
      ? [
          `${idle.length > 0 ? 'of an idle key ' : ''}${worst.admitted} were admitted at once, where ${Math.floor(worst.allowed)} are allowed, and no burst at another phase shows that a window’s boundary was the cause`,
        ]
      : []),
    ...(lockedOut === 'proved' && best === null
      ? [
          'the key was refused after a window in which nothing was admitted, which no limiter explains',
        ]
      : []),
  ];
};

/** The largest difference between two burst sizes of one bucket: a number of requests, and a share. */
const burstTolerance = { requests: 1, share: 1 / 4 };

/** A burst that is smaller than this share of the limit shows a small bucket. */
const smallShare = 0.7;

/**
 * Returns reasons not to call the limit kept: sentences about bursts far below the limit. Only a bucket explains such
 * small bursts, and one bucket admits equal bursts. Bursts of unequal sizes suggest one bucket for each connection or
 * worker, and all buckets together may admit more than the limit.
 */
const unexplainedBuckets = (
  { burst }: LimitFacts,
  { best }: LimiterIdentification,
  { limit }: LimitRule,
  isRefusedBelow: boolean,
): readonly string[] => {
  const sizes = burst.bursts
    .filter(({ isAfterIdle }) => isAfterIdle)
    .map(({ admitted, allowed }) => admitted - Math.max(0, allowed - limit - 1));
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const isBucket =
    best === null || best.limiter === 'burst-bucket' || best.limiter === 'token-bucket';
  if (!isBucket || least > smallShare * limit) return [];
  const apart = Math.max(burstTolerance.requests, burstTolerance.share * most);
  if (sizes.length > 1 && most - least > apart)
    return [
      `of an idle key ${Math.round(least)} were admitted at once and another time ${Math.round(most)}, which no bucket of one size explains`,
    ];
  return isRefusedBelow && best === null
    ? ['requests were refused far below the limit, and no limiter that we know explains it']
    : [];
};

/**
 * Returns facts that speak against the gateway but may have another cause. Such a fact is no violation, but it rules
 * out the verdict `kept`.
 */
const excusedFacts = (facts: LimitFacts, checks: readonly LimitCheck[]): readonly string[] =>
  checks
    .filter(
      ({ id, finding }) =>
        finding === 'undecided' &&
        ((id === 'even-pace' && facts.even.refusals.length > 0) ||
          (id === 'sustained-rate' && facts.sustained?.isShort === true)),
    )
    .map(({ observed }) => observed);

const keptReasons = ({ even, envelope }: LimitFacts, pace: number | null): readonly string[] => [
  envelope.finding === 'proved'
    ? 'no span had more than any limiter of the limit admits'
    : 'no span certainly had more than any limiter of the limit admits',
  ...(even.paced > 1 ? ['an even pace below the limit was never refused'] : []),
  ...(pace === null
    ? []
    : [`what was delayed was let through at the limit’s pace, every ${spacingText(pace)}`]),
];

const verdictOf = (
  checks: readonly LimitCheck[],
  undecided: readonly string[],
  kept: readonly string[],
): Pick<LimitJudgement, 'verdict' | 'reasons'> => {
  const violations = checks.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`);
  if (violations.length > 0) return { verdict: 'violated', reasons: violations };
  return undecided.length > 0
    ? { verdict: 'undecided', reasons: undecided }
    : { verdict: 'kept', reasons: kept };
};

/**
 * Judges an examination. Facts decide whether the limit is kept, and a fitted limiter only explains them. The one
 * exception is `checkFit`, which can find a violation.
 */
export const judgeLimits = (log: LimitLog): LimitJudgement => {
  const rule = log.declared.requests;
  const decisions = limiterDecisions(log);
  const paced = evenlyDecided(log);
  const sustained = decisions.filter(({ phase }) => phase === 'sustained');
  const history = firstKeyHistory(log);
  const { permitted } = log.declared;
  const facts = limitFacts({ decisions, paced, sustained, history, permitted }, rule);
  const identification = nameLimiter(log);
  const otherCause = otherCauseOf(log, decisions);
  const refusals = decisions.filter(({ admitted }) => !admitted).length;
  const tokenChecks = checkTokenLimit(log, otherCause);
  const requestChecks: readonly LimitCheck[] = [
    ...checkDecisions({ rule, decisions, paced, facts, otherCause }),
    checkFit(identification, rule, refusals, { otherCause, reported: reportedRequests(log) }),
    ...checkExhausted(log),
    ...checkRemaining(log),
    checkReported(log, decisions),
    ...checkHeaders(log),
    checkOtherLimits(log),
    ...checkRefusals(log),
    ...checkCounting(log),
  ];
  const pace = queuePace(decisions, rule);
  const why = whyUndecided(log, decisions, facts, identification, pace);
  const undecided = [
    ...(why === null ? [] : [why]),
    ...excusedFacts(facts, requestChecks),
    ...unexplainedFacts(facts, identification),
    // A cap on requests in flight also makes bursts small, so small bursts are no evidence if a refusal names such a
    // cap.
    ...(log.replies.some(({ refusal }) => refusal?.unit === 'in-flight')
      ? []
      : unexplainedBuckets(
          facts,
          identification,
          rule,
          requestChecks.some(
            ({ id, finding }) => id === 'refused-only-when-full' && finding === 'refuted',
          ),
        )),
    ...(isLikeLock(decisions, rule, identification)
      ? ['most refusals were followed by a whole window of refusals, which no limiter explains']
      : []),
  ];
  const ofRequests = verdictOf(requestChecks, undecided, keptReasons(facts, limitedPace(pace)));
  const tokens = judgeTokens(log, tokenChecks.filter(isViolation));
  const checks = [...requestChecks, ...tokenChecks];
  const isByTokens = tokens.verdict === 'violated' && ofRequests.verdict !== 'violated';
  const verdict = isByTokens ? 'violated' : ofRequests.verdict;
  const reasons = isByTokens ? tokens.reasons : ofRequests.reasons;
  const requests = ofRequests.verdict;
  return { verdict, requests, tokens, reasons, facts, identification, checks };
};
