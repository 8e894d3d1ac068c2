import {
  type LimitLog,
  type ProbePhase,
  type ProbeReply,
  type ProbeRequest,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { maxFreshRequests, type KeyHistory, type RequestSpan } from './facts/even-pace.ts';

/** The phases whose decisions show the limiter of the first key. */
const decidingPhases: readonly ProbePhase[] = [
  'counting',
  'even',
  'provocation',
  'sustained',
  'concurrency',
];

const isDeciding = ({ key, phase }: ProbeReply): boolean =>
  key === 'first' && decidingPhases.includes(phase);

/** The phases that stay below the limit. */
export const calmPhases: readonly ProbePhase[] = ['counting', 'even'];

/**
 * In a log without a phase below the limit, the first requests, up to this share of the limit, stand for such a phase.
 */
const calmShare = 1 / 3;

export const isAnswered = ({ status, holdsError }: ProbeReply): boolean =>
  status >= 200 && status < 300 && holdsError !== true;

/** Describes how a small chat failed, except by a 429; `null` if the chat did not fail. */
const failureOf = (reply: ProbeReply): string | null => {
  const { status, holdsError } = reply;
  if (holdsError === true) return `${status} with an error in its body`;
  return status === 429 || isAnswered(reply) ? null : String(status);
};

/**
 * A failure other than a 429 is treated as a refusal only if at least this share of the small chats under load fail in
 * this way.
 */
const minRefusedShare = 0.1;
/**
 * A failure other than a 429 is treated as a refusal only if at least this many small chats under load fail in this
 * way.
 */
const minRefused = 3;
/**
 * A failure other than a 429 is treated as a refusal only if it is this many times as frequent under load as below the
 * limit.
 */
const minContrast = 4;

const shareOf = (replies: readonly ProbeReply[], failure: string): number =>
  replies.filter((reply) => failureOf(reply) === failure).length / Math.max(1, replies.length);

const smallChats = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter((reply) => reply.request === 'chat' && isDeciding(reply));

/**
 * Returns the failures with which a gateway refuses requests over its limit instead of a 429. Such a failure is
 * frequent under load and very rare below the limit. Returns none if no small chat below the limit was answered.
 */
export const wrongRefusals = (log: LimitLog): readonly string[] => {
  const chats = smallChats(log);
  const calmPhase = chats.filter(({ phase }) => calmPhases.includes(phase));
  const first = Math.max(1, Math.floor(log.declared.requests.limit * calmShare));
  const calm = calmPhase.length > 0 ? calmPhase : chats.slice(0, first);
  const loaded = chats.filter((reply) => !calm.includes(reply));
  if (!calm.some(isAnswered)) return [];
  const failures = [...new Set(loaded.flatMap((reply) => failureOf(reply) ?? []))];
  return failures.filter((failure) => {
    const share = shareOf(loaded, failure);
    return (
      share * loaded.length >= minRefused &&
      share >= minRefusedShare &&
      share >= minContrast * shareOf(calm, failure)
    );
  });
};

const isRefusal = (reply: ProbeReply, refusals: readonly string[]): boolean => {
  const failure = failureOf(reply);
  return reply.status === 429 || (failure !== null && refusals.includes(failure));
};

/**
 * Returns the small chats that the limit of requests admitted or refused, in the order of sending. Omits refusals that
 * name tokens, and failures that say nothing about the limiter. Omits refusals by a cap on requests in flight if other
 * refusals exist.
 */
export const limiterDecisions = (log: LimitLog): readonly ProbeReply[] => {
  const refusals = wrongRefusals(log);
  const decided = smallChats(log).flatMap((reply) => {
    const isRefused = isRefusal(reply, refusals);
    if (!isRefused && !isAnswered(reply)) return [];
    return reply.refusal?.unit === 'tokens' ? [] : [{ ...reply, admitted: !isRefused }];
  });
  const others = decided.filter(({ refusal }) => refusal?.unit !== 'in-flight');
  return others.some(({ admitted }) => !admitted) ? others : decided;
};

/** Returns the small chats of the first key whose refusal names tokens. */
export const tokenRefusals = (log: LimitLog): readonly ProbeReply[] =>
  smallChats(log).filter(({ refusal }) => refusal?.unit === 'tokens');

/** The chats that are not small but use up the limit of requests like small ones. */
const otherChats: readonly ProbeRequest[] = ['chat-stream', 'long-prompt', 'longer-answer'];

export const decisionsToReplay = (log: LimitLog): readonly ProbeReply[] => [
  ...limiterDecisions(log),
  ...log.replies
    .filter((reply) => isDeciding(reply) && otherChats.includes(reply.request) && isAnswered(reply))
    .map((reply) => ({ ...reply, admitted: true })),
];

/** The requests that most gateways do not count, since these requests are free. */
const freeRequests: readonly ProbeRequest[] = ['models', 'unknown-path'];

/**
 * Returns the requests of the first key that are not chats. `usual` holds the requests that a gateway may count like
 * chats, `all` also the requests that are usually free.
 */
export const otherRequests = ({ replies }: LimitLog) => {
  const others = replies.filter(
    ({ request }) => ![...otherChats, 'chat', 'wrong-key'].includes(request),
  );
  const all = others
    .filter((reply) => isDeciding(reply) && reply.status !== 429)
    .map((reply) => ({ ...reply, admitted: true }));
  return { usual: all.filter(({ request }) => !freeRequests.includes(request)), all };
};

/**
 * Returns the decisions that the even pace is judged by: the decisions on requests of every kind with the first key.
 */
export const evenlyDecided = (log: LimitLog): readonly ProbeReply[] => {
  const refusals = wrongRefusals(log);
  return log.replies.flatMap((reply) => {
    const { request, refusal } = reply;
    const isOwn = request !== 'wrong-key' && isDeciding(reply);
    const isRefused = isRefusal(reply, refusals);
    if (!isOwn || (!isRefused && !isAnswered(reply))) return [];
    const isOther = refusal?.unit === 'tokens' || refusal?.unit === 'in-flight';
    return isOther ? [] : [{ ...reply, admitted: !isRefused }];
  });
};

/** Returns the small chats of the first key that were neither answered nor refused. */
export const undecidedChats = (log: LimitLog): readonly ProbeReply[] => {
  const refusals = wrongRefusals(log);
  return smallChats(log).filter((reply) => !isAnswered(reply) && !isRefusal(reply, refusals));
};

/**
 * Returns how many requests the gateway had counted before the first request of the log, from the limit and the
 * remaining requests that it reports; infinity if the first answer does not report both.
 */
const usedBefore = (first: ProbeReply | undefined): number => {
  if (first === undefined || !isAnswered(first)) return Infinity;
  const { limit = null, remaining = null } = reportedLimitOf(first, 'requests') ?? {};
  return limit === null || remaining === null ? Infinity : limit - 1 - remaining;
};

/** Returns all requests of the first key, and whether it was idle or fresh before them. */
export const firstKeyHistory = ({ replies }: LimitLog): KeyHistory => {
  const own = replies.filter(({ key }) => key === 'first');
  /**
   * The longest time of an answer in each phase, in ms. An aborted request may have reached the gateway this long after
   * it was sent.
   */
  const longest = new Map<ProbePhase, number>();
  for (const { phase, status, sent, answered } of own) {
    if (status !== 0) longest.set(phase, Math.max(longest.get(phase) ?? 0, answered - sent));
  }
  const requests = own.map(({ phase, status, sent, answered }): RequestSpan => {
    const late = sent + (longest.get(phase) ?? 0);
    return { from: sent, until: status === 0 ? Math.max(answered, late) : answered };
  });
  const used = usedBefore(own[0]);
  return { requests, isIdleBefore: used <= 0, isFreshBefore: used <= maxFreshRequests };
};
