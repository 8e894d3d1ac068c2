import {
  type LimitCheck,
  type LimitLog,
  probeRequests,
  type ProbeReply,
  type ProbeRequest,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { replyEvidence } from './check-headers.ts';

/** Checks of what spends a limit, by the rests that were told before and after. */

const remainingOf = (reply: ProbeReply, unit: string): number | null =>
  reportedLimitOf(reply, unit)?.remaining ?? null;

/** A chat costs a request, however long. */
const isPlainChat = ({ request }: ProbeReply): boolean =>
  request === 'chat' || request === 'long-prompt' || request === 'longer-answer';

/** What each kind of request cost in requests: chats with a told rest stand on both sides of it. */
const costs = ({ replies }: LimitLog): ReadonlyMap<ProbeRequest, readonly number[]> => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  const found = new Map<ProbeRequest, number[]>();
  for (const [place, reply] of counting.entries()) {
    const before = counting[place - 1];
    const after = counting[place + 1];
    if (before?.request !== 'chat' || after?.request !== 'chat' || isPlainChat(reply)) continue;
    const [high, low] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
    // A window that ended in between says nothing.
    if (high === null || low === null || low >= high) continue;
    found.set(reply.request, [...(found.get(reply.request) ?? []), high - low - 1]);
  }
  return found;
};

/** What must count and what must not; the interface leaves the rest open. */
const expected: Partial<Record<ProbeRequest, { readonly cost: number; readonly why: string }>> = {
  'chat-stream': { cost: 1, why: 'A streamed chat counts as one request.' },
  'wrong-key': { cost: 0, why: 'A request with another key does not count for this one.' },
};

/** Whether a small chat after a small chat always lowered the rest by one: else the rest rises by itself, and differences tell no cost. */
const dropsByOne = ({ replies }: LimitLog): boolean => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  return counting.slice(1).every((reply, i) => {
    const before = counting[i]!;
    if (before.usage === null || reply.usage === null) return true;
    const [high, low] = [remainingOf(before, 'requests'), remainingOf(reply, 'requests')];
    return high === null || low === null || low > high || high - low === 1;
  });
};

const unsteadyCheck = (request: ProbeRequest): LimitCheck => ({
  id: `counts-${request}`,
  claim: `It is known what ${probeRequests[request]} costs; the interface leaves it open.`,
  section: null,
  finding: 'undecided',
  violates: false,
  observed: 'the told rest also rises by itself from one request to the next',
  evidence: [],
});

/** Which requests count against the limit of requests. */
export const checkCounting = (log: LimitLog): readonly LimitCheck[] => {
  const steady = dropsByOne(log);
  return [...costs(log)].map(([request, each]) => {
    const rule = expected[request];
    const [cost = 0] = each;
    if (!steady) return unsteadyCheck(request);
    return {
      id: `counts-${request}`,
      claim:
        rule?.why ??
        `It is known what ${probeRequests[request]} costs; the interface leaves it open.`,
      section: rule === undefined ? null : '8',
      finding: rule === undefined || cost === rule.cost ? 'proved' : 'refuted',
      violates: false,
      observed: `it cost ${cost} ${cost === 1 ? 'request' : 'requests'}`,
      evidence: [],
    };
  });
};

/** Tokens that a chat is charged, by the ways in which gateways count. */
const chargingRules = {
  'what was really used, after the answer': ({ usage }: ProbeReply) =>
    usage === null ? null : usage.input + usage.output,
  'the tokens of the answer only': ({ usage }: ProbeReply) => usage?.output ?? null,
  'the tokens of the prompt only': ({ usage }: ProbeReply) => usage?.input ?? null,
  'a quarter of the characters and max_tokens, never corrected': ({
    asked: exhaustedReplies,
  }: ProbeReply) =>
    exhaustedReplies === null
      ? null
      : Math.ceil(exhaustedReplies.characters / 4) + exhaustedReplies.maxTokens,
} as const satisfies Record<string, (reply: ProbeReply) => number | null>;

/** One token more or less is rounding. */
const isAboutEqual = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/** How tokens are charged: the fall of the told rest from one chat to the next, fitted by the known ways. */
export const checkAccounting = ({ replies }: LimitLog): LimitCheck => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  // Of neighbours only: nothing else was charged between them.
  const drops = counting.slice(1).flatMap((reply, i) => {
    const before = counting[i]!;
    if (before.usage === null || reply.usage === null) return [];
    const [high, low] = [remainingOf(before, 'tokens'), remainingOf(reply, 'tokens')];
    return high === null || low === null || low > high ? [] : [{ before, reply, fall: high - low }];
  });
  const names = Object.keys(chargingRules) as readonly (keyof typeof chargingRules)[];
  // A rest told before a chat is charged falls with the next one; told after, with its own.
  const fits = names.flatMap((name) =>
    (['before', 'reply'] as const)
      .filter((side) =>
        drops.every((pair) => {
          const charge = chargingRules[name](pair[side]);
          return charge !== null && isAboutEqual(charge, pair.fall);
        }),
      )
      .map(() => name),
  );
  const different = new Set(drops.map(({ fall }) => fall)).size;
  const isDecided = drops.length >= 3 && different > 1;
  const [fit] = fits;
  const isDocumented = fit === names[0];
  return {
    id: 'token-accounting',
    claim: 'Tokens are charged as they were really used, input and output.',
    section: '8',
    finding: !isDecided ? 'undecided' : isDocumented ? 'proved' : 'refuted',
    violates: false,
    observed: !isDecided
      ? 'too few chats told a rest of tokens'
      : fit === undefined
        ? `no known way of charging explains the ${drops.length} falls of the rest`
        : `charged: ${fit} (${drops.length} falls of the rest)`,
    evidence: isDecided && !isDocumented ? replyEvidence(drops.map(({ reply }) => reply)) : [],
  };
};

/**
 * Whether streams pass by the limit: one that cost nothing and was let in of a key whose chats were
 * refused before and after it. Either alone may have another reason: a rest told late, a refill.
 */
export const checkStreams = (log: LimitLog): LimitCheck => {
  const exhaustedReplies = log.replies.filter(
    ({ phase, key }) => phase === 'exhausted' && key === 'first',
  );
  const chat = exhaustedReplies.find(({ request }) => request === 'chat');
  const stream = exhaustedReplies.find(({ request }) => request === 'chat-stream');
  const [cost] = costs(log).get('chat-stream') ?? [];
  const isLetIn = chat?.status === 429 && stream?.status === 200;
  const isFree = isLetIn && dropsByOne(log) && cost === 0;
  return {
    id: 'streams-limited',
    claim: 'Streamed chats are limited like all others.',
    section: '8',
    finding: isFree ? 'refuted' : stream?.status === 429 ? 'proved' : 'undecided',
    violates: isFree,
    observed:
      stream === undefined
        ? 'no stream was asked of an exhausted key'
        : stream.status === 429
          ? 'a stream was refused when the key was exhausted'
          : isFree
            ? 'a stream cost nothing, and was let in while the key’s other chats were refused'
            : 'a stream was let in; the key may have been let in again by then',
    evidence: isFree ? replyEvidence([chat, stream]) : [],
  };
};

/** How long a small chat took until its answer began. */
const timeToAnswer = ({ sent, answered }: ProbeReply): number => answered - sent;

/** Fewer samples than these tell nothing of latency. */
const minTimedChats = 5;

/** Whether another key is answered more slowly while the first one is exhausted: only where its fastest answer is slower than the slowest of the first key’s that came one by one. */
export const checkKeyLatency = ({ replies }: LimitLog): LimitCheck => {
  const chats = replies.filter(({ request, status }) => request === 'chat' && status === 200);
  const before = chats.filter(({ phase }) => phase === 'counting').map(timeToAnswer);
  const second = chats.filter(({ key }) => key === 'second').map(timeToAnswer);
  const isKnown = before.length >= minTimedChats && second.length >= minTimedChats;
  const isSlower = isKnown && Math.min(...second) > Math.max(...before);
  const range = (times: readonly number[]): string =>
    `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`;
  return {
    id: 'key-latency',
    claim: 'Exhausting one key does not slow another one down.',
    section: null,
    finding: isSlower ? 'refuted' : isKnown ? 'proved' : 'undecided',
    violates: false,
    observed: isKnown
      ? `the second key was answered in ${range(second)}, the first one before in ${range(before)}`
      : 'too few small chats of both keys were answered',
    evidence: [],
  };
};

/** Whether a key is refused because of another one: its own limits let at least its first request in. */
export const checkIsolation = ({ replies }: LimitLog): LimitCheck => {
  const second = replies.filter(({ key }) => key === 'second');
  const [first] = second;
  const isRefused = first?.status === 429;
  return {
    id: 'key-isolation',
    claim: 'Exhausting one key leaves another one its limits.',
    section: '8',
    finding: first === undefined ? 'undecided' : isRefused ? 'refuted' : 'proved',
    violates: isRefused,
    observed:
      first === undefined
        ? 'not asked: no second key was given (--second-key)'
        : `${second.filter(({ status }) => status !== 429).length} of ${second.length} requests of the idle second key were let in while the first key was exhausted`,
    evidence: isRefused ? replyEvidence(second) : [],
  };
};
