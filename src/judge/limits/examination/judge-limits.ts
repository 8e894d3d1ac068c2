import {
  isViolation,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
} from '../../../model/limits/limit-log.ts';
import type { LimiterIdentification, LimitJudgement } from '../../../model/limits/limit-report.ts';
import type { ReplayContext } from '../limiter/limiter-models.ts';
import { checkCounting, checkExhausted } from './check-counting.ts';
import { checkHeaders, checkHiddenSpender } from './check-headers.ts';
import { checkDecisions, observedLimit } from './check-limit.ts';
import { checkRefusals, mayBeTokenRefusal } from './check-refusals.ts';
import { identifyLimiter } from '../limiter/identify-limiter.ts';
import { limitFacts } from '../facts/limit-facts.ts';
import { serverWindow } from '../limiter/server-window.ts';

/** The requests sent to provoke the limiter of the idle key. */
const provokedReplies = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(
    ({ phase, key }) => key === 'first' && (phase === 'provocation' || phase === 'concurrency'),
  );

/** Whether a chat was answered or limited; any other status can come before or after the limiter. */
const isDecided = ({ status }: ProbeReply): boolean =>
  status === 429 || (status >= 200 && status < 300);

/**
 * The decisions of the limit of requests, without refusals that name tokens; those that name the cap
 * on requests in flight count only if there are no others.
 */
const decisionsOf = (log: LimitLog): readonly ProbeReply[] => {
  const provoked = provokedReplies(log).filter(
    (reply) => isDecided(reply) && reply.refusal?.unit !== 'tokens',
  );
  const others = provoked.filter(({ refusal }) => refusal?.unit !== 'in-flight');
  return others.some(({ admitted }) => !admitted) ? others : provoked;
};

/** The observed limit if it explains what the declared one does not. */
const identifyObservedLimit = (
  decisions: readonly ProbeReply[],
  context: ReplayContext,
  declared: LimiterIdentification,
): LimiterIdentification | null => {
  const limit = declared.best === null ? observedLimit(decisions) : null;
  if (limit === null || limit === context.limit) return null;
  const seen = identifyLimiter(decisions, { ...context, limit });
  return seen.best === null ? null : seen;
};

/** Judges the examination of a key: its limiter, and each claim about its limits. */
export const judgeLimits = (log: LimitLog): LimitJudgement => {
  const rule = log.declared.requests;
  const decisions = decisionsOf(log);
  const context: ReplayContext = { ...rule, minute: serverWindow(log.replies, rule.window) };
  const declared = identifyLimiter(decisions, context);
  const seen = identifyObservedLimit(decisions, context, declared);
  const facts = limitFacts(decisions, rule);
  const spenders = checkHiddenSpender(log);
  const isAmbiguous =
    spenders.finding === 'refuted' ||
    log.unanswered.length > 0 ||
    !provokedReplies(log).every(isDecided) ||
    decisions.some((reply) => mayBeTokenRefusal(log, reply));
  const { permitted } = log.declared;
  const evidence = { rule, decisions, facts, declared, seen, permitted, isAmbiguous };
  const checks: readonly LimitCheck[] = [
    ...checkDecisions(evidence),
    ...checkExhausted(log),
    spenders,
    ...checkHeaders(log),
    ...checkRefusals(log),
    ...checkCounting(log),
  ];
  return { facts, declared, seen, checks, violated: checks.some(isViolation) };
};
