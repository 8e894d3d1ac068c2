import {
  advisoryCheck,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import {
  maxEvidence,
  reportedLimitClaim,
  checkClaim,
  type Claim,
} from '../../../judge/limits/facts/check-claim.ts';
import { smallestBucket } from '../../../judge/limits/facts/early-refusals.ts';
import { limiterMemory, windowTolerance } from '../../../judge/limits/facts/rule-bounds.ts';
import {
  type WaitAccuracy,
  retryAfterAccuracyOf,
  retryAfterTolerance,
} from '../../../judge/limits/facts/wait-accuracy.ts';
import { wrongRefusals } from './limiter-decisions.ts';
import { serverOffset } from '../../../judge/limits/limiter/server-window.ts';

/** Judges a claim about replies, as `checkClaim` does. */
export const checkReplies = (claim: Claim<ProbeReply>): LimitCheck =>
  checkClaim(
    claim,
    ({ requestId, request, sent, status }) =>
      `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
  );

const units = ['requests', 'tokens'] as const;

/**
 * Checks whether all responses have headers with the limit and the remaining amount, for requests and for tokens
 * (interface, section 8).
 */
const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    units.every((unit) => {
      const { limit = null, remaining = null } = reportedLimitOf(reply, unit) ?? {};
      return limit !== null && remaining !== null;
    });
  // A response that the gateway sends before it knows the key cannot have the limit headers.
  const expected = replies.filter(
    ({ status, request }) => status !== 401 && status !== 0 && request !== 'unknown-path',
  );
  const wrong = expected.filter((reply) => !isWhole(reply));
  const classes = wrong.map(({ status, request }) => (status === 200 ? request : String(status)));
  const allText = `all ${expected.length} responses had them`;
  return checkReplies({
    id: 'headers-present',
    claim: 'Every response has the four limit headers.',
    section: '8',
    unseen: expected.length === 0 ? allText : null,
    wrong,
    observed:
      wrong.length === 0
        ? allText
        : `${wrong.length} of ${expected.length} responses did not have all: ${[...new Set(classes)].join(', ')}`,
  });
};

const checkReadable = ({ replies }: LimitLog): LimitCheck => {
  const wrong = replies.filter(({ unreadable }) => unreadable.length > 0);
  return advisoryCheck({
    id: 'headers-readable',
    claim: 'All limit headers have readable values.',
    section: '8',
    finding: wrong.length > 0 ? 'refuted' : 'proved',
    observed:
      wrong.length === 0
        ? 'all values were readable'
        : `${wrong.length} responses had unreadable values`,
    evidence: wrong
      .slice(0, maxEvidence)
      .flatMap(({ requestId, unreadable }) =>
        unreadable.map((header) => `${requestId}: ${header}`),
      ),
  });
};

const checkLimits = ({ replies, declared }: LimitLog): readonly LimitCheck[] =>
  units.flatMap((unit) => {
    const limitOf = (reply: ProbeReply): number | null =>
      reportedLimitOf(reply, unit)?.limit ?? null;
    const rule = declared[unit];
    return rule === null
      ? []
      : [checkReplies(reportedLimitClaim(unit, rule.limit, replies, limitOf))];
  });

export const checkHeaders = (log: LimitLog): readonly LimitCheck[] => [
  checkPresence(log),
  checkReadable(log),
  ...checkLimits(log),
];

const noRefusal = 'nothing was refused with 429';

const refusalsOf = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(({ status }) => status === 429);

const checkBodies = (log: LimitLog): LimitCheck => {
  const refusals = refusalsOf(log);
  const forms = new Set(refusals.map(({ refusal }) => refusal?.form ?? 'none'));
  return checkReplies({
    id: 'refusal-body',
    claim: 'The body of a 429 has one of the two documented forms.',
    section: '7',
    unseen: refusals.length === 0 ? noRefusal : null,
    wrong: refusals.filter(({ refusal }) => !['error', 'none-429'].includes(refusal?.form ?? '')),
    observed: `forms: ${[...forms].join(', ')}`,
  });
};

const templateTokens = 10;

/**
 * Returns the maximum number of tokens that a gateway can charge or reserve for a request, whatever its counting
 * method.
 */
const maxCharge = ({ usage, asked }: ProbeReply): number =>
  Math.max(
    usage === null ? 0 : usage.input + usage.output,
    asked === null ? 0 : asked.characters + asked.maxTokens + templateTokens,
  );

/**
 * Returns the requests that the gateway can have charged to the refused request's key within the window before the
 * refusal.
 */
const chargeableBefore = (
  { replies }: LimitLog,
  { sent, answered, key }: ProbeReply,
  window: number,
): readonly ProbeReply[] => {
  const from = sent - window - windowTolerance(window);
  return replies.filter(
    (other) => other.key === key && other.ended >= from && other.sent <= answered,
  );
};

const maxChargeOf = (replies: readonly ProbeReply[]): number =>
  replies.reduce((sum, reply) => sum + maxCharge(reply), 0);

/**
 * Returns the maximum number of tokens that the gateway can have charged within the window before a refusal; `null` if
 * this number is unknown.
 */
const maxTokensCharged = (log: LimitLog, refusal: ProbeReply, window: number): number | null => {
  const chats = chargeableBefore(log, refusal, window).filter(
    ({ admitted, request }) => admitted && request !== 'models',
  );
  const isReported = chats.every(({ usage, asked }) => usage !== null && asked !== null);
  return isReported ? maxChargeOf(chats) : null;
};

/**
 * Returns whether a refusal that names no limit may come from the limit of tokens: whether the requests of the window
 * before the refusal can have used up this limit.
 */
export const mayBeTokenRefusal = (log: LimitLog, refusal: ProbeReply): boolean => {
  const { tokens } = log.declared;
  if (tokens === null || refusal.refusal?.unit !== null) return false;
  return maxChargeOf(chargeableBefore(log, refusal, tokens.window)) >= tokens.limit;
};

const checkNamedLimit = (log: LimitLog): LimitCheck => {
  const named = refusalsOf(log).filter(({ refusal }) => (refusal?.unit ?? null) !== null);
  const { tokens } = log.declared;
  const wrong = named.filter((reply) => {
    if (reply.refusal?.unit !== 'tokens' || tokens === null) return false;
    // A weighted counter remembers two windows, so the charges of both windows count. A bucket may hold only a part of
    // the limit, so the charges are compared with the smallest bucket.
    const charged = maxTokensCharged(log, reply, limiterMemory(tokens));
    return charged !== null && charged + maxCharge(reply) < smallestBucket * tokens.limit;
  });
  return checkReplies({
    id: 'refusal-names-limit',
    claim: 'A 429 names tokens only if they are used up.',
    section: '7',
    unseen: named.length === 0 ? 'no 429 named a limit' : null,
    wrong,
    violates: wrong.length > 0,
    observed: `${wrong.length} of ${named.length} named tokens although too few were used within two windows`,
  });
};

/**
 * Returns the provocation's refusals that no other request overlaps, since overlapping requests have no known order.
 */
const serialRefusals = (log: LimitLog): readonly ProbeReply[] =>
  refusalsOf(log).filter(
    (reply) =>
      reply.phase === 'provocation' &&
      log.replies.every(
        (other) => other === reply || other.sent >= reply.ended || other.ended <= reply.sent,
      ),
  );

/** Says why the waits that refusals ask for cannot be checked; `null` if some waits can be checked. */
const unseenWaits = (log: LimitLog): string | null => {
  const refused = refusalsOf(log).length;
  if (serialRefusals(log).length > 0) return null;
  return refused === 0
    ? noRefusal
    : `${refused} ${refused === 1 ? 'was' : 'were'} refused with 429, but none while requests went one by one; after the others it is not known when the key was admitted again`;
};

const accuracyOf = (log: LimitLog, refusal: ProbeReply, promised: number): WaitAccuracy => {
  const later = log.replies.filter(
    ({ sent, key, phase }) => sent > refusal.sent && key === refusal.key && phase === refusal.phase,
  );
  const next = later.find(({ admitted }) => admitted);
  const lastRefused = later.findLast(
    ({ admitted, sent }) => !admitted && (next === undefined || sent < next.sent),
  );
  const stillRefused = (lastRefused ?? refusal).sent;
  return retryAfterAccuracyOf(promised, { stillRefused, admittedAgain: next?.answered ?? null });
};

const accuracies = ['exact', 'conservative', 'deceptive', 'unknown'] as const;

const summary = (reported: readonly { readonly accuracy: WaitAccuracy }[]): string => {
  const countOf = (kind: WaitAccuracy): number =>
    reported.filter(({ accuracy }) => accuracy === kind).length;
  const counted = accuracies.filter((kind) => countOf(kind) > 0);
  return counted.map((kind) => `${countOf(kind)} ${kind}`).join(', ');
};

const checkRetryAfter = (log: LimitLog): LimitCheck => {
  const refusals = serialRefusals(log);
  const reported = refusals.flatMap((reply) => {
    const { retryAfter } = reply;
    if (retryAfter === null) return [];
    return [{ reply, retryAfter, accuracy: accuracyOf(log, reply, reply.answered + retryAfter) }];
  });
  const deceptive = reported.filter(({ accuracy }) => accuracy === 'deceptive');
  const values = new Set(reported.map(({ retryAfter }) => retryAfter));
  const [first] = reported;
  const span = first === undefined ? 0 : reported.at(-1)!.reply.sent - first.reply.sent;
  const isConstant =
    values.size === 1 &&
    reported.length > 2 &&
    span > 3 * retryAfterTolerance &&
    reported.some(({ accuracy }) => accuracy !== 'exact');
  const absent = refusals.length - reported.length;
  const isKnown = reported.some(({ accuracy }) => accuracy !== 'unknown');
  const isRefuted = deceptive.length + absent > 0 || isConstant;
  const observed = [
    absent > 0 && `absent on ${absent} of ${refusals.length}`,
    isConstant && `always ${first!.retryAfter / 1000} s, at any remaining time`,
    summary(reported),
  ].filter(Boolean);
  const check = checkReplies({
    id: 'retry-after',
    claim:
      'Retry-After is present, varies with the remaining time, and never ends while the key is still refused.',
    unseen: unseenWaits(log),
    wrong: deceptive.map(({ reply }) => reply),
    isRefuted,
    observed: observed.join('; '),
  });
  return isKnown || isRefuted ? check : { ...check, finding: 'undecided' };
};

/** Checks the reset time in a refusal's body against the server's clock. */
const checkReset = (log: LimitLog): LimitCheck => {
  const offset = serverOffset(log.replies);
  const reported = serialRefusals(log).flatMap((reply) => {
    const resetAt = reply.refusal?.resetAt ?? null;
    if (resetAt === null || offset === null) return [];
    const promised = resetAt - (offset.least + offset.most) / 2;
    return [{ reply, late: promised - reply.sent, accuracy: accuracyOf(log, reply, promised) }];
  });
  const wrong = reported.filter(({ accuracy }) => accuracy !== 'exact' && accuracy !== 'unknown');
  const farthest = Math.max(...reported.map(({ late }) => Math.abs(late)), 0);
  return checkReplies({
    id: 'reset-time',
    claim: 'At the reset time in the body of a 429 the key is admitted again.',
    section: '7',
    unseen: reported.length === 0 ? 'there was no readable reset time' : null,
    wrong: wrong.map(({ reply }) => reply),
    observed: `${summary(reported)}; up to ${Math.round(farthest / 1000)} s from the refusal`,
  });
};

/** Checks whether the gateway refuses requests over the limit with a status other than 429. */
const checkStatus = (log: LimitLog): LimitCheck => {
  const failures = wrongRefusals(log);
  const refusals = refusalsOf(log).length;
  const wrong = log.replies.filter(
    ({ key, request, status, holdsError }) =>
      key === 'first' &&
      request === 'chat' &&
      failures.some((failure) => failure.startsWith(String(status))) &&
      (status >= 400 || holdsError === true),
  );
  return checkReplies({
    id: 'refusal-status',
    claim: 'Requests over the limit are refused with status 429.',
    section: '7',
    unseen: refusals + wrong.length === 0 ? 'nothing was refused' : null,
    wrong,
    observed:
      wrong.length === 0
        ? `all ${refusals} refusals had status 429`
        : `${wrong.length} chats were refused with ${failures.join(', ')}, which other chats below the limit were not`,
  });
};

export const checkRefusals = (log: LimitLog): readonly LimitCheck[] => [
  checkStatus(log),
  checkBodies(log),
  checkNamedLimit(log),
  checkRetryAfter(log),
  checkReset(log),
];
