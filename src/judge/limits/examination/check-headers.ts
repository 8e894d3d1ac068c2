import {
  advisoryCheck,
  type LimitCheck,
  type LimitLog,
  type ProbePhase,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { checkClaim, type Claim, maxEvidence, reportedLimitClaim } from '../facts/check-claim.ts';

export const checkReplies = (claim: Claim<ProbeReply>): LimitCheck =>
  checkClaim(
    claim,
    ({ requestId, request, sent, status }) =>
      `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
  );

const units = ['requests', 'tokens'] as const;

/** Whether responses of every class have the limit and the remaining of both units (interface section 8). */
const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    units.every((unit) => {
      const { limit = null, remaining = null } = reportedLimitOf(reply, unit) ?? {};
      return limit !== null && remaining !== null;
    });
  // Responses before the key is checked cannot have them.
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

/** What admitted requests of the first key reported as remaining, in the order of sending. */
const remainingIn = ({ replies }: LimitLog, phase: ProbePhase | null = null) =>
  replies.flatMap((reply) => {
    const remaining = reportedLimitOf(reply, 'requests')?.remaining ?? null;
    const isWanted = phase === null || reply.phase === phase;
    return isWanted && remaining !== null && reply.admitted && reply.key === 'first'
      ? [{ reply, remaining }]
      : [];
  });

/** The drops in remaining between consecutive requests that were sent one by one within one window. */
const serialDrops = (log: LimitLog): readonly { reply: ProbeReply; step: number }[] => {
  const serial = remainingIn(log, 'provocation');
  return serial.slice(1).flatMap(({ reply, remaining }, i) => {
    const before = serial[i]!;
    // Overlapping requests have no order, and remaining that rises was refilled.
    const isNext = reply.sent >= before.reply.ended && remaining < before.remaining;
    return isNext ? [{ reply, step: before.remaining - remaining }] : [];
  });
};

/** Remaining as reported to the concurrent requests, the highest first. */
const releasedRemaining = (log: LimitLog) =>
  remainingIn(log, 'concurrency').toSorted((a, b) => b.remaining - a.remaining);

const checkSerialRemaining = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const wrong = steps.filter(({ step }) => step !== 1);
  const negative = remainingIn(log).filter(({ remaining }) => remaining < 0);
  return checkReplies({
    id: 'remaining-serial',
    claim: 'Sent one by one, each request lowers remaining by exactly one, never below zero.',
    section: '8',
    unseen: steps.length === 0 ? 'no two consecutive requests reported a drop in remaining' : null,
    wrong: [...wrong, ...negative].map(({ reply }) => reply),
    observed: `${steps.length - wrong.length} of ${steps.length} drops were one; remaining was negative ${negative.length} times`,
  });
};

const checkConcurrentRemaining = (log: LimitLog): LimitCheck => {
  const released = releasedRemaining(log);
  const wrong = released.filter(({ remaining }, i) => remaining === released[i - 1]?.remaining);
  return checkReplies({
    id: 'remaining-no-lost-updates',
    claim: 'Concurrent requests all report a different remaining.',
    section: '8',
    unseen: released.length < 2 ? 'fewer than two concurrent requests reported remaining' : null,
    wrong: wrong.map(({ reply }) => reply),
    observed: `${wrong.length} of ${released.length} values had been reported before`,
  });
};

/** Values of remaining between the highest and the lowest that no request reported; 0 if some were reported twice, since a gap can then be a lost update. */
const gapsIn = (log: LimitLog): number => {
  const values = releasedRemaining(log).map(({ remaining }) => remaining);
  const distinct = new Set(values).size;
  if (distinct !== values.length || distinct < 2) return 0;
  return values[0]! - values.at(-1)! + 1 - distinct;
};

/** Concurrent requests refused because too many were in flight. */
const cappedIn = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(({ phase, refusal }) => phase === 'concurrency' && refusal?.unit === 'in-flight');

/** Whether remaining drops by requests that the examination did not send. */
export const checkHiddenSpender = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const skippedDrops = steps.filter(({ step }) => step > 1);
  // If a cap refused some, the gaps can be theirs.
  const gaps = cappedIn(log).length > 0 ? 0 : gapsIn(log);
  const lost = skippedDrops.reduce((sum, { step }) => sum + step - 1, 0) + gaps;
  const isSeen = steps.length > 0 || releasedRemaining(log).length > 1;
  return checkReplies({
    id: 'no-hidden-spender',
    claim: 'No one else uses the key.',
    unseen: isSeen ? null : 'fewer than two responses reported remaining',
    wrong: skippedDrops.map(({ reply }) => reply),
    isRefuted: lost > 0,
    observed: `remaining dropped by ${lost} requests that this examination did not send`,
  });
};

const checkFreeRefusals = (log: LimitLog): LimitCheck => {
  const capped = cappedIn(log);
  const lost = gapsIn(log);
  const isSeen = capped.length > 0 && releasedRemaining(log).length > 1;
  return checkReplies({
    id: 'cap-refusals-free',
    claim: 'A request refused by a cap on requests in flight does not count against the minute.',
    unseen: isSeen ? null : 'no cap on requests in flight refused anything',
    wrong: lost > 0 ? capped : [],
    observed: `remaining dropped by ${lost} unsent requests while the cap refused ${capped.length}`,
  });
};

export const checkHeaders = (log: LimitLog): readonly LimitCheck[] => [
  checkFreeRefusals(log),
  checkPresence(log),
  checkReadable(log),
  ...checkLimits(log),
  checkSerialRemaining(log),
  checkConcurrentRemaining(log),
];
