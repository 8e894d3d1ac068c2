import type { LimitCheck, LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { costs, isSteady } from './check-counting.ts';
import { checkReplies } from './check-replies.ts';
import { isAnswered } from './limiter-decisions.ts';

/**
 * Checks whether streams bypass the limit: a stream cost nothing, and was admitted while the key's chats were refused.
 * Either alone can have another cause: remaining that is reported late, or a refill.
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
 * Checks whether another key is slower while the first one is exhausted: its fastest answer is slower than the slowest
 * earlier answer of the first key.
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

/** Checks whether a key is refused because of another one. Its own limits admit at least its first request. */
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

/** Checks whether another model is admitted while the key is exhausted for the first one, before and after. */
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
