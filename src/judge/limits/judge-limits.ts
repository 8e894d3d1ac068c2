import {
  isViolation,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
} from '../../model/limit-log.ts';
import type { Identification, LimitJudgement } from '../../model/limit-report.ts';
import type { Knowledge } from './candidates.ts';
import {
  checkAccounting,
  checkCounting,
  checkIsolation,
  checkNeighbour,
  checkStreams,
} from './check-counting.ts';
import {
  checkConcurrentRest,
  checkFreeRefusals,
  checkLimits,
  checkPresence,
  checkReadable,
  checkSerialRest,
  checkSpenders,
} from './check-headers.ts';
import {
  checkExplained,
  checkFacts,
  checkRecovery,
  type Examined,
  fitting,
  limitSeen,
} from './check-limit.ts';
import {
  checkBodies,
  checkNamedLimit,
  checkReset,
  checkRetryAfter,
  mayLackTokens,
} from './check-refusals.ts';
import { identifyLimiter } from './identify-limiter.ts';
import { limitFacts } from './limit-facts.ts';
import { serverWindow } from './server-minute.ts';

/** What was sent to a key that was idle before, to be decided on. */
const provokedOf = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(
    ({ phase, key }) => key === 'first' && (phase === 'provocation' || phase === 'concurrency'),
  );

/** A chat that was answered or refused by a limit; another status may have come before the limit was asked, or after. */
const isDecided = ({ status }: ProbeReply): boolean =>
  status === 429 || (status >= 200 && status < 300);

/**
 * The decisions of the limit of requests. A refusal that names tokens says nothing of it, and one
 * that names the cap in flight only where there is no other limit.
 */
const decisionsOf = (log: LimitLog): readonly ProbeReply[] => {
  const provoked = provokedOf(log).filter(
    (reply) => isDecided(reply) && reply.refusal?.unit !== 'tokens',
  );
  const others = provoked.filter(({ refusal }) => refusal?.unit !== 'in-flight');
  return others.some(({ admitted }) => !admitted) ? others : provoked;
};

/** Another limit that explains what the declared one does not. */
const identifySeen = (
  decisions: readonly ProbeReply[],
  known: Knowledge,
  declared: Identification,
): Identification | null => {
  const limit = declared.best === null ? limitSeen(decisions) : null;
  if (limit === null || limit === known.limit) return null;
  const seen = identifyLimiter(decisions, { ...known, limit });
  return seen.best === null ? null : seen;
};

/** Decides what an examination of a key proves: the limiter, and each claim about the limits. */
export const judgeLimits = (log: LimitLog): LimitJudgement => {
  const rule = log.declared.requests;
  const decisions = decisionsOf(log);
  const known: Knowledge = { ...rule, minute: serverWindow(log.replies, rule.window) };
  const declared = identifyLimiter(decisions, known);
  const seen = identifySeen(decisions, known, declared);
  const facts = limitFacts(decisions, rule);
  const spenders = checkSpenders(log);
  const { permitted } = log.declared;
  const examined: Examined = {
    ...{ rule, decisions, facts, seen, permitted, identification: declared },
    fits: fitting({ decisions, identification: declared, permitted }),
    isBlurred:
      spenders.finding === 'refuted' ||
      log.unanswered.length > 0 ||
      !provokedOf(log).every(isDecided) ||
      decisions.some((reply) => mayLackTokens(log, reply)),
  };
  const checks: readonly LimitCheck[] = [
    checkExplained(examined),
    ...checkFacts(examined),
    checkRecovery(examined),
    checkStreams(log),
    checkIsolation(log),
    checkNeighbour(log),
    spenders,
    checkFreeRefusals(log),
    checkPresence(log),
    checkReadable(log),
    ...checkLimits(log),
    checkSerialRest(log),
    checkConcurrentRest(log),
    checkBodies(log),
    checkNamedLimit(log),
    checkRetryAfter(log),
    checkReset(log),
    ...checkCounting(log),
    checkAccounting(log),
  ];
  return {
    facts,
    declared,
    seen,
    checks,
    violated: checks.some(isViolation),
  };
};
