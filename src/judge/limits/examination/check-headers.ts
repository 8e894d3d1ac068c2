import {
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';

/** Checks of what the limit headers say (interface section 8). */

const maxEvidence = 5;

/** A few requests as evidence, each in one line. */
export const replyEvidence = (replies: readonly ProbeReply[]): readonly string[] =>
  replies
    .slice(0, maxEvidence)
    .map(
      ({ requestId, request, sent, status }) =>
        `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

const classOf = ({ status, request }: ProbeReply): string =>
  status === 200 ? request : String(status);

/** Whether responses of every class bore both limits and both rests. */
export const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    ['requests', 'tokens'].every((unit) => {
      const reported = reportedLimitOf(reply, unit);
      return reported !== undefined && reported.limit !== null && reported.remaining !== null;
    });
  // The interface promises them for every response; before the key is looked at there is nothing to tell.
  const expectedReplies = replies.filter(
    ({ status, request }) => status !== 401 && status !== 0 && request !== 'unknown-path',
  );
  const lacking = expectedReplies.filter((reply) => !isWhole(reply));
  const classes = [...new Set(lacking.map(classOf))];
  return {
    id: 'headers-present',
    claim: 'Every response bears the four limit headers.',
    section: '8',
    finding: expectedReplies.length === 0 ? 'undecided' : lacking.length > 0 ? 'refuted' : 'proved',
    violates: false,
    observed:
      lacking.length === 0
        ? `all ${expectedReplies.length} responses bore them`
        : `${lacking.length} of ${expectedReplies.length} responses lacked some: ${classes.join(', ')}`,
    evidence: replyEvidence(lacking),
  };
};

export const checkReadable = ({ replies }: LimitLog): LimitCheck => {
  const wrong = replies.filter(({ unreadable }) => unreadable.length > 0);
  return {
    id: 'headers-readable',
    claim: 'Limit headers have readable values.',
    section: '8',
    finding: wrong.length > 0 ? 'refuted' : 'proved',
    violates: false,
    observed: wrong.length === 0 ? 'all of them had' : `${wrong.length} responses had others`,
    evidence: wrong
      .slice(0, maxEvidence)
      .flatMap(({ requestId, unreadable }) =>
        unreadable.map((header) => `${requestId}: ${header}`),
      ),
  };
};

/** Whether the headers name one limit throughout, and the declared one. */
export const checkLimits = ({ replies, declared }: LimitLog): readonly LimitCheck[] =>
  (['requests', 'tokens'] as const).flatMap((unit): LimitCheck[] => {
    const rule = declared[unit];
    if (rule === null) return [];
    const seen = replies.flatMap((reply) => reportedLimitOf(reply, unit)?.limit ?? []);
    const values = [...new Set(seen)].toSorted((a, b) => a - b);
    const isAsDeclared = values.length === 1 && values[0] === rule.limit;
    return [
      {
        id: `limit-${unit}`,
        claim: `The headers always name the limit of ${rule.limit.toLocaleString('en-US')} ${unit}.`,
        section: '8',
        finding: seen.length === 0 ? 'undecided' : isAsDeclared ? 'proved' : 'refuted',
        violates: false,
        observed:
          seen.length === 0
            ? 'no header named one'
            : `named: ${values.map((value) => value.toLocaleString('en-US')).join(', ')}`,
        evidence: replyEvidence(
          replies.filter((reply) => {
            const limit = reportedLimitOf(reply, unit)?.limit;
            return limit !== undefined && limit !== null && limit !== rule.limit;
          }),
        ),
      },
    ];
  });

/** The rest of requests told to the replies of one key, in the order in which they were sent. */
const remainingByReply = (
  replies: readonly ProbeReply[],
): readonly { reply: ProbeReply; remaining: number }[] =>
  replies.flatMap((reply) => {
    const remaining = reportedLimitOf(reply, 'requests')?.remaining ?? null;
    return remaining === null || !reply.admitted || reply.key !== 'first'
      ? []
      : [{ reply, remaining }];
  });

/** By how much the told rest fell from one request to the next, where they came one by one within one window. */
const serialDrops = ({ replies }: LimitLog): readonly { reply: ProbeReply; step: number }[] => {
  const serial = remainingByReply(replies.filter(({ phase }) => phase === 'provocation'));
  return serial.slice(1).flatMap(({ reply, remaining }, i) => {
    const before = serial[i]!;
    // Overlapping requests have no order, and a rest that rises has been refilled.
    const isNext = reply.sent >= before.reply.ended && remaining < before.remaining;
    return isNext ? [{ reply, step: before.remaining - remaining }] : [];
  });
};

/** Whether the told rest falls by one from one request to the next. */
export const checkSerialRemaining = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const wrong = steps.filter(({ step }) => step !== 1);
  const negative = remainingByReply(log.replies).filter(({ remaining }) => remaining < 0);
  const finding =
    steps.length === 0 ? 'undecided' : wrong.length + negative.length > 0 ? 'refuted' : 'proved';
  return {
    id: 'remaining-serial',
    claim: 'Sent one by one, each request lowers the told rest by exactly one, never below zero.',
    section: '8',
    finding,
    violates: false,
    observed:
      steps.length === 0
        ? 'no two requests told a falling rest'
        : `${steps.length - wrong.length} of ${steps.length} steps were one; ${negative.length} rests were negative`,
    evidence: replyEvidence([
      ...wrong.map(({ reply }) => reply),
      ...negative.map(({ reply }) => reply),
    ]),
  };
};

/** The rests told to requests that were released together, the highest first. */
const releasedRemaining = ({ replies }: LimitLog) =>
  remainingByReply(replies.filter(({ phase }) => phase === 'concurrency')).toSorted(
    (a, b) => b.remaining - a.remaining,
  );

/** Whether requests released together were told rests that are all different. */
export const checkConcurrentRemaining = (log: LimitLog): LimitCheck => {
  const released = releasedRemaining(log);
  const duplicates = released.filter(
    ({ remaining }, i) => remaining === released[i - 1]?.remaining,
  );
  return {
    id: 'remaining-no-lost-updates',
    claim: 'Requests released together are all told different rests.',
    section: '8',
    finding: released.length < 2 ? 'undecided' : duplicates.length > 0 ? 'refuted' : 'proved',
    violates: false,
    observed:
      released.length < 2
        ? 'fewer than two requests that were released together told a rest'
        : `${duplicates.length} of ${released.length} rests had been told before`,
    evidence: replyEvidence(duplicates.map(({ reply }) => reply)),
  };
};

/** Rests between the highest and the lowest that nobody was told; none where some were told twice, since a gap may then be an update that was lost. */
const gapsIn = (log: LimitLog): number => {
  const rests = releasedRemaining(log).map(({ remaining }) => remaining);
  const distinct = new Set(rests).size;
  if (distinct !== rests.length || distinct < 2) return 0;
  return rests[0]! - rests.at(-1)! + 1 - distinct;
};

/** Requests released together that were refused since too many were in flight. */
const cappedIn = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(({ phase, refusal }) => phase === 'concurrency' && refusal?.unit === 'in-flight');

/** Whether rests vanish that nobody here has spent. */
export const checkHiddenSpender = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const skippedDrops = steps.filter(({ step }) => step > 1);
  // Where a cap refused some, the gaps may be theirs.
  const gaps = cappedIn(log).length > 0 ? 0 : gapsIn(log);
  const lost = skippedDrops.reduce((sum, { step }) => sum + step - 1, 0) + gaps;
  const isSeen = steps.length > 0 || releasedRemaining(log).length > 1;
  return {
    id: 'no-hidden-spender',
    claim: 'Nobody else spends the key’s requests.',
    section: null,
    finding: !isSeen ? 'undecided' : lost > 0 ? 'refuted' : 'proved',
    violates: false,
    observed: isSeen
      ? `${lost} requests went from the told rests that this examination did not send`
      : 'no two responses told a rest',
    evidence: replyEvidence(skippedDrops.map(({ reply }) => reply)),
  };
};

/** Whether requests that a cap in flight refuses count nothing. */
export const checkFreeRefusals = (log: LimitLog): LimitCheck => {
  const capped = cappedIn(log);
  const lost = gapsIn(log);
  const isSeen = capped.length > 0 && releasedRemaining(log).length > 1;
  return {
    id: 'cap-refusals-free',
    claim: 'A request that a cap in flight refuses does not count against the minute.',
    section: null,
    finding: !isSeen ? 'undecided' : lost > 0 ? 'refuted' : 'proved',
    violates: false,
    observed: isSeen
      ? `${lost} requests went from the told rests while the cap refused ${capped.length}`
      : 'no cap in flight refused anything',
    evidence: lost > 0 ? replyEvidence(capped) : [],
  };
};
