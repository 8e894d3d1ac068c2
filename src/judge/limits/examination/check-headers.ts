import {
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  reportedLimitOf,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';

const maxEvidence = 5;

export const replyEvidence = (replies: readonly ProbeReply[]): readonly string[] =>
  replies
    .slice(0, maxEvidence)
    .map(
      ({ requestId, request, sent, status }) =>
        `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

const classOf = ({ status, request }: ProbeReply): string =>
  status === 200 ? request : String(status);

/** Whether responses of every class have the limit and the remaining of both units (interface section 8). */
export const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    ['requests', 'tokens'].every((unit) => {
      const { limit = null, remaining = null } = reportedLimitOf(reply, unit) ?? {};
      return limit !== null && remaining !== null;
    });
  // Responses before the key is checked cannot have them.
  const expectedReplies = replies.filter(
    ({ status, request }) => status !== 401 && status !== 0 && request !== 'unknown-path',
  );
  const lacking = expectedReplies.filter((reply) => !isWhole(reply));
  const classes = [...new Set(lacking.map(classOf))];
  return advisoryCheck({
    id: 'headers-present',
    claim: 'Every response has the four limit headers.',
    section: '8',
    finding: expectedReplies.length === 0 ? 'undecided' : lacking.length > 0 ? 'refuted' : 'proved',
    observed:
      lacking.length === 0
        ? `all ${expectedReplies.length} responses had them`
        : `${lacking.length} of ${expectedReplies.length} responses did not have all: ${classes.join(', ')}`,
    evidence: replyEvidence(lacking),
  });
};

export const checkReadable = ({ replies }: LimitLog): LimitCheck => {
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

const limitOf = (reply: ProbeReply, unit: string): number | null =>
  reportedLimitOf(reply, unit)?.limit ?? null;

export const checkLimits = ({ replies, declared }: LimitLog): readonly LimitCheck[] =>
  (['requests', 'tokens'] as const).flatMap((unit): LimitCheck[] => {
    const rule = declared[unit];
    if (rule === null) return [];
    const seen = replies.flatMap((reply) => limitOf(reply, unit) ?? []);
    const values = [...new Set(seen)].toSorted((a, b) => a - b);
    const isAsDeclared = values.length === 1 && values[0] === rule.limit;
    return [
      advisoryCheck({
        id: `limit-${unit}`,
        claim: `The headers always name a limit of ${rule.limit.toLocaleString('en-US')} ${unit}.`,
        section: '8',
        finding: seen.length === 0 ? 'undecided' : isAsDeclared ? 'proved' : 'refuted',
        observed:
          seen.length === 0
            ? 'no header named a limit'
            : `named: ${values.map((value) => value.toLocaleString('en-US')).join(', ')}`,
        evidence: replyEvidence(
          replies.filter((reply) => (limitOf(reply, unit) ?? rule.limit) !== rule.limit),
        ),
      }),
    ];
  });

/** The remaining requests reported to admitted requests of the first key, in the order of sending. */
const remainingByReply = (
  replies: readonly ProbeReply[],
): readonly { reply: ProbeReply; remaining: number }[] =>
  replies.flatMap((reply) => {
    const remaining = reportedLimitOf(reply, 'requests')?.remaining ?? null;
    return remaining === null || !reply.admitted || reply.key !== 'first'
      ? []
      : [{ reply, remaining }];
  });

/** The drops in remaining between consecutive requests that were sent one by one within one window. */
const serialDrops = ({ replies }: LimitLog): readonly { reply: ProbeReply; step: number }[] => {
  const serial = remainingByReply(replies.filter(({ phase }) => phase === 'provocation'));
  return serial.slice(1).flatMap(({ reply, remaining }, i) => {
    const before = serial[i]!;
    // Overlapping requests have no order, and remaining that rises was refilled.
    const isNext = reply.sent >= before.reply.ended && remaining < before.remaining;
    return isNext ? [{ reply, step: before.remaining - remaining }] : [];
  });
};

export const checkSerialRemaining = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const wrong = steps.filter(({ step }) => step !== 1);
  const negative = remainingByReply(log.replies).filter(({ remaining }) => remaining < 0);
  const isWrong = wrong.length + negative.length > 0;
  return advisoryCheck({
    id: 'remaining-serial',
    claim: 'Sent one by one, each request lowers remaining by exactly one, never below zero.',
    section: '8',
    finding: steps.length === 0 ? 'undecided' : isWrong ? 'refuted' : 'proved',
    observed:
      steps.length === 0
        ? 'no two consecutive requests reported a drop in remaining'
        : `${steps.length - wrong.length} of ${steps.length} drops were one; remaining was negative ${negative.length} times`,
    evidence: replyEvidence([...wrong, ...negative].map(({ reply }) => reply)),
  });
};

/** Remaining as reported to the concurrent requests, the highest first. */
const releasedRemaining = ({ replies }: LimitLog) =>
  remainingByReply(replies.filter(({ phase }) => phase === 'concurrency')).toSorted(
    (a, b) => b.remaining - a.remaining,
  );

export const checkConcurrentRemaining = (log: LimitLog): LimitCheck => {
  const released = releasedRemaining(log);
  const duplicates = released.filter(
    ({ remaining }, i) => remaining === released[i - 1]?.remaining,
  );
  return advisoryCheck({
    id: 'remaining-no-lost-updates',
    claim: 'Concurrent requests all report a different remaining.',
    section: '8',
    finding: released.length < 2 ? 'undecided' : duplicates.length > 0 ? 'refuted' : 'proved',
    observed:
      released.length < 2
        ? 'fewer than two concurrent requests reported remaining'
        : `${duplicates.length} of ${released.length} values had been reported before`,
    evidence: replyEvidence(duplicates.map(({ reply }) => reply)),
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
  return advisoryCheck({
    id: 'no-hidden-spender',
    claim: 'No one else uses the key.',
    finding: !isSeen ? 'undecided' : lost > 0 ? 'refuted' : 'proved',
    observed: isSeen
      ? `remaining dropped by ${lost} requests that this examination did not send`
      : 'fewer than two responses reported remaining',
    evidence: replyEvidence(skippedDrops.map(({ reply }) => reply)),
  });
};

export const checkFreeRefusals = (log: LimitLog): LimitCheck => {
  const capped = cappedIn(log);
  const lost = gapsIn(log);
  const isSeen = capped.length > 0 && releasedRemaining(log).length > 1;
  return advisoryCheck({
    id: 'cap-refusals-free',
    claim: 'A request refused by a cap on requests in flight does not count against the minute.',
    finding: !isSeen ? 'undecided' : lost > 0 ? 'refuted' : 'proved',
    observed: isSeen
      ? `remaining dropped by ${lost} unsent requests while the cap refused ${capped.length}`
      : 'no cap on requests in flight refused anything',
    evidence: lost > 0 ? replyEvidence(capped) : [],
  });
};
