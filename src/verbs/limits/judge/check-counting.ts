import {
  type LimitCheck,
  type LimitLog,
  probeRequests,
  type ProbeReply,
  type ProbeRequest,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { shortestWindow } from '../../../judge/limits/facts/rule-bounds.ts';
import { checkReplies } from './check-answers.ts';
import { isAnswered } from './limiter-decisions.ts';

type Unit = 'requests' | 'tokens';

const remainingOf = (reply: ProbeReply, unit: Unit): number | null =>
  reportedLimitOf(reply, unit)?.remaining ?? null;

/** The chats that cost one request each, whatever the length of their prompt or answer. */
const plainChats: readonly ProbeRequest[] = ['chat', 'long-prompt', 'longer-answer'];

/**
 * Returns the replies of the counting phase within its first window; if `isWhole`, all its replies. `isWhole` is valid
 * only if each small chat lowered the remaining requests by one.
 */
const countedReplies = (log: LimitLog, isWhole: boolean): readonly ProbeReply[] => {
  const counting = log.replies.filter(({ phase }) => phase === 'counting');
  const until = (counting[0]?.sent ?? 0) + shortestWindow(log.declared.requests.window);
  return isWhole ? counting : counting.filter(({ answered }) => answered <= until);
};

/** Returns the drop in the remaining `unit` between each two consecutive chats with no other request in between. */
const dropsBetweenChats = (log: LimitLog, unit: Unit, isWhole: boolean) => {
  const counting = countedReplies(log, isWhole);
  return counting.slice(1).flatMap((reply, i) => {
    const before = counting[i]!;
    if (before.usage === null || reply.usage === null) return [];
    const [high, low] = [remainingOf(before, unit), remainingOf(reply, unit)];
    return high === null || low === null || low > high ? [] : [{ before, reply, drop: high - low }];
  });
};

/**
 * Returns whether each small chat lowered the remaining requests by one. If a refill comes between chats, drops do not
 * show costs.
 */
const dropsByOne = (log: LimitLog, isWhole: boolean): boolean =>
  dropsBetweenChats(log, 'requests', isWhole).every(({ drop }) => drop === 1);

/**
 * Returns whether drops in the remaining requests show what requests cost. They do if each small chat lowered the
 * remaining requests by one, in the whole log or at least in the first window.
 */
const isSteady = (log: LimitLog): boolean => dropsByOne(log, true) || dropsByOne(log, false);

/**
 * Returns the cost of each kind of request: the drop in the remaining requests between the chats before and after the
 * request, minus one for the second chat.
 */
const costs = (log: LimitLog): ReadonlyMap<ProbeRequest, number> => {
  const counting = countedReplies(log, dropsByOne(log, true));
  const found = new Map<ProbeRequest, number>();
  for (const [place, { request }] of counting.entries()) {
    const before = counting[place - 1];
    const after = counting[place + 1];
    if (before?.request !== 'chat' || after?.request !== 'chat') continue;
    const [high, low] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
    // If the remaining requests did not drop, a window ended between these two chats, so the pair shows no cost.
    if (high === null || low === null || low >= high) continue;
    if (!plainChats.includes(request) && !found.has(request)) found.set(request, high - low - 1);
  }
  return found;
};

/** The expected costs. The interface does not define the cost of other kinds of request. */
const expected: Partial<Record<ProbeRequest, { readonly cost: number; readonly why: string }>> = {
  'chat-stream': { cost: 1, why: 'A streamed chat counts as one request.' },
  'wrong-key': { cost: 0, why: 'A request with another key does not count against this key.' },
};

const checkCosts = (log: LimitLog): readonly LimitCheck[] => {
  const isKnown = isSteady(log);
  return [...costs(log)].map(([request, cost]) => {
    const rule = isKnown ? expected[request] : undefined;
    return checkReplies({
      id: `counts-${request}`,
      claim:
        rule?.why ??
        `The cost of ${probeRequests[request]} is known; the interface leaves it open.`,
      section: rule === undefined ? null : '8',
      unseen: isKnown ? null : 'the remaining requests also rise by themselves between requests',
      wrong: [],
      isRefuted: rule !== undefined && cost !== rule.cost,
      observed: `it cost ${cost} ${cost === 1 ? 'request' : 'requests'}`,
    });
  });
};

/**
 * The known counting methods of gateways: the name of each, and a function that returns the tokens it charges for a
 * chat.
 */
const chargingRules: readonly (readonly [string, (reply: ProbeReply) => number | null])[] = [
  ['the tokens used, after the answer', ({ usage }) => usage && usage.input + usage.output],
  ['the tokens of the answer only', ({ usage }) => usage?.output ?? null],
  ['the tokens of the prompt only', ({ usage }) => usage?.input ?? null],
  [
    'a quarter of the characters and max_tokens, never corrected',
    ({ asked }) => asked && Math.ceil(asked.characters / 4) + asked.maxTokens,
  ],
];

const isAboutEqual = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/**
 * Unless the remaining tokens visibly rose, a correction is concluded only from at least this many consecutive chats.
 * These chats must be of different kinds.
 */
const minCorrectedChats = 5;

/**
 * Returns whether the remaining tokens rose while each chat still lowered the remaining requests. The drop in requests
 * shows that no window ended, so a correction returned the tokens.
 */
const isGivenBack = (chats: readonly ProbeReply[]): boolean => {
  const riseOf = (unit: Unit): readonly number[] => {
    const remaining = chats.map((reply) => remainingOf(reply, unit) ?? Number.NaN);
    return remaining.slice(1).map((left, i) => left - remaining[i]!);
  };
  return riseOf('requests').every((rise) => rise < 0) && riseOf('tokens').some((rise) => rise > 0);
};

/**
 * Returns whether the gateway corrected reserved tokens to the used tokens. After a correction, the remaining tokens
 * have dropped between two small chats by the tokens that the chats in between used. Example: the remaining tokens drop
 * by 50 for a reservation and rise by 30; the chat used 20.
 */
const isCorrected = (log: LimitLog): boolean => {
  const counting = countedReplies(log, true);
  const isChat = ({ usage }: ProbeReply): boolean => usage !== null;
  // The last consecutive chats of the log. No other kind of request was charged between these chats.
  const from = counting.findLastIndex((reply) => !isChat(reply)) + 1;
  const chats = counting.slice(from).filter((reply) => remainingOf(reply, 'tokens') !== null);
  const small = [...chats.entries()].filter(([, { request }]) => request === 'chat');
  return small.some(([first, begin]) =>
    small.some(([last, end]) => {
      const between = chats.slice(first, last);
      const used = between.reduce((sum, { usage }) => sum + usage!.input + usage!.output, 0);
      const isMixed = between.some(({ request }) => request !== 'chat');
      const drop = remainingOf(begin, 'tokens')! - remainingOf(end, 'tokens')!;
      const isShown =
        between.length >= minCorrectedChats || isGivenBack(chats.slice(first, last + 1));
      return isShown && isMixed && isAboutEqual(drop, used);
    }),
  );
};

const correctedText = 'an estimate of the gateway’s own, corrected later to the tokens used';

/**
 * The minimum number of chats that report remaining tokens. With fewer chats, equal reports do not show that the
 * reported number is constant.
 */
const minConstantChats = 5;

/** Refutes the claim about token accounting if all chats that reported remaining tokens reported the same number. */
const constantRest = (log: LimitLog): LimitCheck | null => {
  const chats = log.replies.filter(({ phase, usage }) => phase === 'counting' && usage !== null);
  const reported = chats.flatMap((reply) => remainingOf(reply, 'tokens') ?? []);
  const [rest, ...others] = new Set(reported);
  if (rest === undefined || others.length > 0 || reported.length < minConstantChats) return null;
  const used = chats.reduce((sum, { usage }) => sum + usage!.input + usage!.output, 0);
  return checkReplies({
    id: 'token-accounting',
    claim: 'The tokens charged are those used, input and output.',
    section: '8',
    wrong: chats,
    observed: `${reported.length} chats that used ${used} tokens all reported ${rest} remaining`,
  });
};

/** Checks how tokens are charged, by comparing the drops in remaining tokens with the known counting methods. */
const checkAccounting = (log: LimitLog): LimitCheck => {
  const drops = dropsBetweenChats(log, 'tokens', isSteady(log));
  const isExplained = (chargeOf: (reply: ProbeReply) => number | null): boolean =>
    // Some gateways report the remaining tokens before they charge a chat. Then the reply to the next chat shows the
    // charge.
    (['before', 'reply'] as const).some((side) =>
      drops.every((pair) => {
        const charge = chargeOf(pair[side]);
        return charge !== null && isAboutEqual(charge, pair.drop);
      }),
    );
  const [rule] = chargingRules.filter(([, chargeOf]) => isExplained(chargeOf));
  const isUse = rule === chargingRules[0];
  // Drops do not show tokens that a correction returns, so they also fit a method that never corrects its estimate. If
  // a correction was seen, it takes precedence.
  const fit = !isUse && isCorrected(log) ? correctedText : (rule?.[0] ?? null);
  const isDecided = drops.length >= 3 && new Set(drops.map(({ drop }) => drop)).size > 1;
  const isDocumented = isUse || fit === correctedText;
  const constant = constantRest(log);
  if (constant !== null) return constant;
  return checkReplies({
    id: 'token-accounting',
    claim: 'The tokens charged are those used, input and output.',
    section: '8',
    unseen: isDecided ? null : 'too few chats reported remaining tokens',
    wrong: isDecided && !isDocumented ? drops.map(({ reply }) => reply) : [],
    observed:
      fit === null
        ? `no known counting method explains the ${drops.length} drops in remaining tokens`
        : `charged: ${fit} (${drops.length} drops in remaining tokens)`,
  });
};

export const checkCounting = (log: LimitLog): readonly LimitCheck[] => [
  ...checkCosts(log),
  checkAccounting(log),
];

/**
 * Checks whether streams bypass the limit. They do if a stream costs nothing, and the gateway admitted a stream while
 * it refused chats.
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
    isSteady(log) &&
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

/** The minimum number of chats for a finding on latency. */
const minTimedChats = 5;

/**
 * Checks whether an exhausted key slows down another key. If so, the fastest answer to the second key is slower than
 * all earlier answers to the first key.
 */
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

/**
 * Checks whether the gateway refuses a key because another key is exhausted. The second key's own limits would admit
 * its first request.
 */
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

/**
 * Checks whether another model is admitted while the key is exhausted for the first model. A refusal before this
 * request and one after it prove that the key was exhausted.
 */
const checkModels = ({ replies }: LimitLog): LimitCheck => {
  const exhausted = replies.filter(({ phase, key }) => phase === 'exhausted' && key === 'first');
  const place = exhausted.findIndex(({ request }) => request === 'other-model');
  const [other, rest] = [exhausted[place], exhausted.slice(place + 1)];
  const isExhausted =
    exhausted[0]?.request === 'chat' &&
    exhausted[0].status === 429 &&
    rest.some(({ request, status }) => request.startsWith('chat') && status === 429);
  const isFree = other !== undefined && isExhausted && isAnswered(other);
  const unseen = () => {
    if (other === undefined) return 'the target lists no other chat model';
    if (other.status === 429 || isFree) return null;
    return 'the key was not certainly exhausted, or the other model cannot be used';
  };
  return checkReplies({
    id: 'limit-for-all-models',
    claim: 'All models share the limit of the key.',
    unseen: unseen(),
    wrong: isFree ? [other] : [],
    observed: isFree
      ? 'another model was admitted while the key was exhausted: limits are for each model'
      : 'another model was refused while the key was exhausted',
  });
};

export const checkExhausted = (log: LimitLog): readonly LimitCheck[] => [
  checkStreams(log),
  checkModels(log),
  checkIsolation(log),
  checkKeyLatency(log),
];
