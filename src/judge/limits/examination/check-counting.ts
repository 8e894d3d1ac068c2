import {
  type LimitCheck,
  type LimitLog,
  probeRequests,
  type ProbeReply,
  type ProbeRequest,
  reportedLimitOf,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';
import { replyEvidence } from './check-headers.ts';

const remainingOf = (reply: ProbeReply, unit: string): number | null =>
  reportedLimitOf(reply, unit)?.remaining ?? null;

/** A chat of any length costs one request. */
const isPlainChat = ({ request }: ProbeReply): boolean =>
  request === 'chat' || request === 'long-prompt' || request === 'longer-answer';

/** What each kind of request cost in requests, by the remaining requests reported to the chats before and after it. */
const costs = ({ replies }: LimitLog): ReadonlyMap<ProbeRequest, readonly number[]> => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  const found = new Map<ProbeRequest, number[]>();
  for (const [place, reply] of counting.entries()) {
    const before = counting[place - 1];
    const after = counting[place + 1];
    if (before?.request !== 'chat' || after?.request !== 'chat' || isPlainChat(reply)) continue;
    const [high, low] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
    // The window ended in between.
    if (high === null || low === null || low >= high) continue;
    found.set(reply.request, [...(found.get(reply.request) ?? []), high - low - 1]);
  }
  return found;
};

/** What must count and what must not; the interface leaves the others open. */
const expected: Partial<Record<ProbeRequest, { readonly cost: number; readonly why: string }>> = {
  'chat-stream': { cost: 1, why: 'A streamed chat counts as one request.' },
  'wrong-key': { cost: 0, why: 'A request with another key does not count against this key.' },
};

/** What `unit` dropped by from one chat to the next: nothing else was charged between them. */
const dropsBetweenChats = ({ replies }: LimitLog, unit: string) => {
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

export const checkCounting = (log: LimitLog): readonly LimitCheck[] => {
  const steady = dropsByOne(log);
  return [...costs(log)].map(([request, [cost = 0]]) => {
    const rule = expected[request];
    const id = `counts-${request}`;
    const open = `The cost of ${probeRequests[request]} is known; the interface leaves it open.`;
    if (!steady) {
      const observed = 'the remaining requests also rise by themselves between requests';
      return advisoryCheck({ id, claim: open, finding: 'undecided', observed });
    }
    const observed = `it cost ${cost} ${cost === 1 ? 'request' : 'requests'}`;
    if (rule === undefined) return advisoryCheck({ id, claim: open, finding: 'proved', observed });
    const finding = cost === rule.cost ? 'proved' : 'refuted';
    return advisoryCheck({ id, claim: rule.why, section: '8', finding, observed });
  });
};

/** The tokens charged for a chat, by the counting methods of gateways. */
const chargingRules = {
  'the tokens used, after the answer': ({ usage }: ProbeReply) =>
    usage === null ? null : usage.input + usage.output,
  'the tokens of the answer only': ({ usage }: ProbeReply) => usage?.output ?? null,
  'the tokens of the prompt only': ({ usage }: ProbeReply) => usage?.input ?? null,
  'a quarter of the characters and max_tokens, never corrected': ({ asked }: ProbeReply) =>
    asked === null ? null : Math.ceil(asked.characters / 4) + asked.maxTokens,
} as const satisfies Record<string, (reply: ProbeReply) => number | null>;

/** One token of difference is rounding. */
const isAboutEqual = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/** How tokens are charged: the drop in remaining tokens from one chat to the next, compared with the known methods. */
export const checkAccounting = (log: LimitLog): LimitCheck => {
  const drops = dropsBetweenChats(log, 'tokens');
  const names = Object.keys(chargingRules) as readonly (keyof typeof chargingRules)[];
  // If remaining is reported before a chat is charged, its charge shows in the next chat's reply.
  const fits = names.flatMap((name) =>
    (['before', 'reply'] as const)
      .filter((side) =>
        drops.every((pair) => {
          const charge = chargingRules[name](pair[side]);
          return charge !== null && isAboutEqual(charge, pair.drop);
        }),
      )
      .map(() => name),
  );
  const different = new Set(drops.map(({ drop }) => drop)).size;
  const isDecided = drops.length >= 3 && different > 1;
  const [fit] = fits;
  const isDocumented = fit === names[0];
  return advisoryCheck({
    id: 'token-accounting',
    claim: 'The tokens charged are those used, input and output.',
    section: '8',
    finding: !isDecided ? 'undecided' : isDocumented ? 'proved' : 'refuted',
    observed: !isDecided
      ? 'too few chats reported remaining tokens'
      : fit === undefined
        ? `no known counting method explains the ${drops.length} drops in remaining tokens`
        : `charged: ${fit} (${drops.length} drops in remaining tokens)`,
    evidence: isDecided && !isDocumented ? replyEvidence(drops.map(({ reply }) => reply)) : [],
  });
};

/**
 * Whether streams bypass the limit: a stream cost nothing and was admitted while the key's chats were
 * refused. Either alone can have another reason: remaining reported late, or a refill.
 */
export const checkStreams = (log: LimitLog): LimitCheck => {
  const exhaustedReplies = log.replies.filter(
    ({ phase, key }) => phase === 'exhausted' && key === 'first',
  );
  const chat = exhaustedReplies.find(({ request }) => request === 'chat');
  const stream = exhaustedReplies.find(({ request }) => request === 'chat-stream');
  const [cost] = costs(log).get('chat-stream') ?? [];
  const isAdmitted = chat?.status === 429 && stream?.status === 200;
  const isFree = isAdmitted && dropsByOne(log) && cost === 0;
  return {
    id: 'streams-limited',
    claim: 'Streamed chats are limited like other chats.',
    section: '8',
    finding: isFree ? 'refuted' : stream?.status === 429 ? 'proved' : 'undecided',
    violates: isFree,
    observed:
      stream === undefined
        ? 'no stream was sent with the exhausted key'
        : stream.status === 429
          ? 'a stream was refused while the key was exhausted'
          : isFree
            ? 'a stream cost nothing and was admitted while the key’s other chats were refused'
            : 'a stream was admitted; other chats were possibly admitted again by then',
    evidence: isFree ? replyEvidence([chat, stream]) : [],
  };
};

const timeToAnswer = ({ sent, answered }: ProbeReply): number => answered - sent;

/** With fewer samples latency is undecided. */
const minTimedChats = 5;

/** Whether another key is slower while the first one is exhausted: its fastest answer is slower than the slowest earlier answer of the first key. */
export const checkKeyLatency = ({ replies }: LimitLog): LimitCheck => {
  const chats = replies.filter(({ request, status }) => request === 'chat' && status === 200);
  const before = chats.filter(({ phase }) => phase === 'counting').map(timeToAnswer);
  const second = chats.filter(({ key }) => key === 'second').map(timeToAnswer);
  const isKnown = before.length >= minTimedChats && second.length >= minTimedChats;
  const isSlower = isKnown && Math.min(...second) > Math.max(...before);
  const range = (times: readonly number[]): string =>
    `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`;
  return advisoryCheck({
    id: 'key-latency',
    claim: 'Exhausting one key does not slow down another.',
    finding: isSlower ? 'refuted' : isKnown ? 'proved' : 'undecided',
    observed: isKnown
      ? `the second key was answered in ${range(second)}, the first key earlier in ${range(before)}`
      : 'too few small chats of each key were answered',
  });
};

/** Whether a key is refused because of another one: its own limits admit at least its first request. */
export const checkIsolation = ({ replies }: LimitLog): LimitCheck => {
  const second = replies.filter(({ key }) => key === 'second');
  const [first] = second;
  const isRefused = first?.status === 429;
  return {
    id: 'key-isolation',
    claim: 'Exhausting one key does not affect the limits of another.',
    section: '8',
    finding: first === undefined ? 'undecided' : isRefused ? 'refuted' : 'proved',
    violates: isRefused,
    observed:
      first === undefined
        ? 'not tested: no second key was given (--second-key)'
        : `${second.filter(({ status }) => status !== 429).length} of ${second.length} requests of the idle second key were admitted while the first key was exhausted`,
    evidence: isRefused ? replyEvidence(second) : [],
  };
};
