import type { LimitCheck, LimitLog, ProbeReply, ToldLimit } from '../../model/limit-log.ts';

/** Checks of what the limit headers say (interface section 8). */

const few = 5;

/** A few requests as evidence, each in one line. */
export const evidenceOf = (replies: readonly ProbeReply[]): readonly string[] =>
  replies
    .slice(0, few)
    .map(
      ({ requestId, request, sent, status }) =>
        `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

/** What a reply's headers told of the limit of the key itself. */
export const toldOf = ({ told }: ProbeReply, unit: string): ToldLimit | undefined =>
  told.find((limit) => limit.unit === unit && limit.descriptor === 'api_key') ??
  told.find((limit) => limit.unit === unit);

const classOf = ({ status, request }: ProbeReply): string =>
  status === 200 ? request : String(status);

/** Whether responses of every class bore both limits and both rests. */
export const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    ['requests', 'tokens'].every((unit) => {
      const told = toldOf(reply, unit);
      return told !== undefined && told.limit !== null && told.remaining !== null;
    });
  // The interface promises them for every response; before the key is known there is nothing to tell.
  const bound = replies.filter(({ status }) => status !== 401);
  const lacking = bound.filter((reply) => !isWhole(reply));
  const classes = [...new Set(lacking.map(classOf))];
  return {
    id: 'headers-present',
    claim: 'Every response bears the four limit headers.',
    section: '8',
    finding: bound.length === 0 ? 'undecided' : lacking.length > 0 ? 'refuted' : 'proved',
    violates: false,
    observed:
      lacking.length === 0
        ? `all ${bound.length} responses bore them`
        : `${lacking.length} of ${bound.length} responses lacked some: ${classes.join(', ')}`,
    evidence: evidenceOf(lacking),
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
    observed: wrong.length === 0 ? 'all of them' : `${wrong.length} responses had others`,
    evidence: wrong
      .slice(0, few)
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
    const seen = replies.flatMap((reply) => toldOf(reply, unit)?.limit ?? []);
    const values = [...new Set(seen)].toSorted((a, b) => a - b);
    const isAsDeclared = values.length === 1 && values[0] === rule.limit;
    return [
      {
        id: `limit-${unit}`,
        claim: `The headers always name the limit of ${rule.limit} ${unit}.`,
        section: '8',
        finding: seen.length === 0 ? 'undecided' : isAsDeclared ? 'proved' : 'refuted',
        violates: false,
        observed: seen.length === 0 ? 'no header named one' : `named: ${values.join(', ')}`,
        evidence: evidenceOf(
          replies.filter((reply) => {
            const limit = toldOf(reply, unit)?.limit;
            return limit !== undefined && limit !== null && limit !== rule.limit;
          }),
        ),
      },
    ];
  });

/** The rest of requests told to the replies of one key, in the order in which they were sent. */
const restsOf = (replies: readonly ProbeReply[]): readonly { reply: ProbeReply; rest: number }[] =>
  replies.flatMap((reply) => {
    const rest = toldOf(reply, 'requests')?.remaining ?? null;
    return rest === null || !reply.admitted || reply.key !== 'first' ? [] : [{ reply, rest }];
  });

/** Whether the told rest falls by one from one request to the next, as long as they come one by one in one window. */
export const checkSerialRest = ({ replies }: LimitLog): LimitCheck => {
  const serial = restsOf(replies.filter(({ phase }) => phase === 'provocation'));
  const steps = serial.slice(1).flatMap(({ reply, rest }, i) => {
    const before = serial[i]!;
    // Overlapping requests have no order, and a rest that rises has been refilled.
    const isNext = reply.sent >= before.reply.answered && rest < before.rest;
    return isNext ? [{ reply, step: before.rest - rest }] : [];
  });
  const wrong = steps.filter(({ step }) => step !== 1);
  const negative = serial.filter(({ rest }) => rest < 0);
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
    evidence: evidenceOf([...wrong, ...negative].map(({ reply }) => reply)),
  };
};

/** Whether requests released together were told rests that are all different and without a gap. */
export const checkConcurrentRest = ({ replies }: LimitLog): readonly LimitCheck[] => {
  const burst = restsOf(replies.filter(({ phase }) => phase === 'burst'));
  const rests = burst.map(({ rest }) => rest).toSorted((a, b) => b - a);
  const twice = rests.filter((rest, i) => rest === rests[i - 1]);
  const span = rests.length === 0 ? 0 : rests[0]! - rests.at(-1)! + 1;
  const missing = span - new Set(rests).size;
  const isSeen = rests.length > 1;
  return [
    {
      id: 'remaining-no-lost-updates',
      claim: 'Requests released together are all told different rests.',
      section: '8',
      finding: !isSeen ? 'undecided' : twice.length > 0 ? 'refuted' : 'proved',
      violates: false,
      observed: isSeen
        ? `${twice.length} of ${rests.length} rests were told more than once`
        : 'fewer than two responses told a rest',
      evidence: evidenceOf(
        burst.filter(({ rest }) => twice.includes(rest)).map(({ reply }) => reply),
      ),
    },
    {
      id: 'no-hidden-spender',
      claim: 'Nobody else spends the key’s requests.',
      section: null,
      finding: !isSeen ? 'undecided' : missing > 0 && twice.length === 0 ? 'refuted' : 'proved',
      violates: false,
      observed: isSeen
        ? `${missing} rests between the highest and the lowest were told to nobody`
        : 'fewer than two responses told a rest',
      evidence: [],
    },
  ];
};
