import {
  type LimitCheck,
  type LimitLog,
  probeRequests,
  type ProbeReply,
  type ProbeRequest,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { checkReplies } from './check-headers.ts';

type Unit = 'requests' | 'tokens';

const remainingOf = (reply: ProbeReply, unit: Unit): number | null =>
  reportedLimitOf(reply, unit)?.remaining ?? null;

/** A chat of any length costs one request. */
const plainChats: readonly ProbeRequest[] = ['chat', 'long-prompt', 'longer-answer'];

/** What each kind of request cost in requests, by the remaining requests first reported to the chats before and after it. */
const costs = ({ replies }: LimitLog): ReadonlyMap<ProbeRequest, number> => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  const found = new Map<ProbeRequest, number>();
  for (const [place, { request }] of counting.entries()) {
    const before = counting[place - 1];
    const after = counting[place + 1];
    if (before?.request !== 'chat' || after?.request !== 'chat') continue;
    const [high, low] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
    // The window ended in between.
    if (high === null || low === null || low >= high) continue;
    if (!plainChats.includes(request) && !found.has(request)) found.set(request, high - low - 1);
  }
  return found;
};

/** What must count and what must not; the interface leaves the others open. */
const expected: Partial<Record<ProbeRequest, { readonly cost: number; readonly why: string }>> = {
  'chat-stream': { cost: 1, why: 'A streamed chat counts as one request.' },
  'wrong-key': { cost: 0, why: 'A request with another key does not count against this key.' },
};

/** What `unit` dropped by from one chat to the next: nothing else was charged between them. */
const dropsBetweenChats = ({ replies }: LimitLog, unit: Unit) => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  return counting.slice(1).flatMap((reply, i) => {
    const before = counting[i]!;
    if (before.usage === null || reply.usage === null) return [];
    const [high, low] = [remainingOf(before, unit), remainingOf(reply, unit)];
    return high === null || low === null || low > high ? [] : [{ before, reply, drop: high - low }];
  });
};

/** Whether small chats always lowered the remaining requests by one: otherwise they refill by themselves, and differences show no cost. */
const dropsByOne = (log: LimitLog): boolean =>
  dropsBetweenChats(log, 'requests').every(({ drop }) => drop === 1);

const checkCosts = (log: LimitLog): readonly LimitCheck[] => {
  const isSteady = dropsByOne(log);
  return [...costs(log)].map(([request, cost]) => {
    const rule = isSteady ? expected[request] : undefined;
    return checkReplies({
      id: `counts-${request}`,
      claim:
        rule?.why ??
        `The cost of ${probeRequests[request]} is known; the interface leaves it open.`,
      section: rule === undefined ? null : '8',
      unseen: isSteady ? null : 'the remaining requests also rise by themselves between requests',
      wrong: [],
      isRefuted: rule !== undefined && cost !== rule.cost,
      observed: `it cost ${cost} ${cost === 1 ? 'request' : 'requests'}`,
    });
  });
};

/** The tokens charged for a chat, by the counting methods of gateways. */
const chargingRules: readonly (readonly [string, (reply: ProbeReply) => number | null])[] = [
  ['the tokens used, after the answer', ({ usage }) => usage && usage.input + usage.output],
  ['the tokens of the answer only', ({ usage }) => usage?.output ?? null],
  ['the tokens of the prompt only', ({ usage }) => usage?.input ?? null],
  [
    'a quarter of the characters and max_tokens, never corrected',
    ({ asked }) => asked && Math.ceil(asked.characters / 4) + asked.maxTokens,
  ],
];

/** One token of difference is rounding. */
const isAboutEqual = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/** How tokens are charged: the drop in remaining tokens from one chat to the next, compared with the known methods. */
const checkAccounting = (log: LimitLog): LimitCheck => {
  const drops = dropsBetweenChats(log, 'tokens');
  const isExplained = (chargeOf: (reply: ProbeReply) => number | null): boolean =>
    // If remaining is reported before a chat is charged, its charge shows in the next chat's reply.
    (['before', 'reply'] as const).some((side) =>
      drops.every((pair) => {
        const charge = chargeOf(pair[side]);
        return charge !== null && isAboutEqual(charge, pair.drop);
      }),
    );
  const [fit] = chargingRules.filter(([, chargeOf]) => isExplained(chargeOf));
  const isDecided = drops.length >= 3 && new Set(drops.map(({ drop }) => drop)).size > 1;
  const isDocumented = fit === chargingRules[0];
  return checkReplies({
    id: 'token-accounting',
    claim: 'The tokens charged are those used, input and output.',
    section: '8',
    unseen: isDecided ? null : 'too few chats reported remaining tokens',
    wrong: isDecided && !isDocumented ? drops.map(({ reply }) => reply) : [],
    observed:
      fit === undefined
        ? `no known counting method explains the ${drops.length} drops in remaining tokens`
        : `charged: ${fit[0]} (${drops.length} drops in remaining tokens)`,
  });
};

export const checkCounting = (log: LimitLog): readonly LimitCheck[] => [
  ...checkCosts(log),
  checkAccounting(log),
];

/**
 * Whether streams bypass the limit: a stream cost nothing and was admitted while the key's chats were
 * refused. Either alone can have another reason: remaining reported late, or a refill.
 */
const checkStreams = (log: LimitLog): LimitCheck => {
  const exhausted = log.replies.filter(
    ({ phase, key }) => phase === 'exhausted' && key === 'first',
  );
  const chat = exhausted.find(({ request }) => request === 'chat');
  const stream = exhausted.find(({ request }) => request === 'chat-stream');
  const isFree =
    chat?.status === 429 &&
    stream?.status === 200 &&
    dropsByOne(log) &&
    costs(log).get('chat-stream') === 0;
  const unseen = () => {
    if (stream === undefined) return 'no stream was sent with the exhausted key';
    return stream.status === 429 || isFree
      ? null
      : 'a stream was admitted; other chats were possibly admitted again by then';
  };
  return checkReplies({
    id: 'streams-limited',
    claim: 'Streamed chats are limited like other chats.',
    section: '8',
    unseen: unseen(),
    wrong: isFree ? [chat, stream] : [],
    violates: isFree,
    observed: isFree
      ? 'a stream cost nothing and was admitted while the key’s other chats were refused'
      : 'a stream was refused while the key was exhausted',
  });
};

/** With fewer samples latency is undecided. */
const minTimedChats = 5;

/** Whether another key is slower while the first one is exhausted: its fastest answer is slower than the slowest earlier answer of the first key. */
const checkKeyLatency = ({ replies }: LimitLog): LimitCheck => {
  const timesOf = (isWanted: (reply: ProbeReply) => boolean): readonly number[] =>
    replies
      .filter((reply) => reply.request === 'chat' && reply.status === 200 && isWanted(reply))
      .map(({ sent, answered }) => answered - sent);
  const before = timesOf(({ phase }) => phase === 'counting');
  const second = timesOf(({ key }) => key === 'second');
  const isKnown = before.length >= minTimedChats && second.length >= minTimedChats;
  const range = (times: readonly number[]): string =>
    `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`;
  return checkReplies({
    id: 'key-latency',
    claim: 'Exhausting one key does not slow down another.',
    unseen: isKnown ? null : 'too few small chats of each key were answered',
    wrong: [],
    isRefuted: Math.min(...second) > Math.max(...before),
    observed: `the second key was answered in ${range(second)}, the first key earlier in ${range(before)}`,
  });
};

/** Whether a key is refused because of another one: its own limits admit at least its first request. */
const checkIsolation = ({ replies }: LimitLog): LimitCheck => {
  const second = replies.filter(({ key }) => key === 'second');
  const isRefused = second[0]?.status === 429;
  const admitted = second.filter(({ status }) => status !== 429).length;
  return checkReplies({
    id: 'key-isolation',
    claim: 'Exhausting one key does not affect the limits of another.',
    section: '8',
    unseen: second.length === 0 ? 'not tested: no second key was given (--second-key)' : null,
    wrong: isRefused ? second : [],
    violates: isRefused,
    observed: `${admitted} of ${second.length} requests of the idle second key were admitted while the first key was exhausted`,
  });
};

export const checkExhausted = (log: LimitLog): readonly LimitCheck[] => [
  checkStreams(log),
  checkIsolation(log),
  checkKeyLatency(log),
];
