import type {
  ChatStreamAnswer,
  SpeechAnswer,
  TranscriptionAnswer,
} from '../model/observation/outcome.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type Instant, instant } from '../model/quantity.ts';

/**
 * Returns a completed chat request for tests: due at 5 s, begun 1 ms late, answered after 200 ms. Any field can be
 * changed.
 */
export const sampleObservation = (differing: Partial<Observation> = {}): Observation => ({
  requestId: 'run-0-15',
  stage: 0,
  index: 15,
  traffic: 'chat',
  model: 'publisher/model-8b',
  key: 'main',
  due: instant(5000),
  released: instant(5000),
  reserved: null,
  begun: instant(5001),
  connected: instant(5003),
  connection: 'new',
  sent: instant(5004),
  head: {
    at: instant(5190),
    status: 200,
    quota: { limitRequests: 60, remainingRequests: 59, limitTokens: null, remainingTokens: null },
    serverId: 'server-15',
  },
  ended: instant(5200),
  earlier: [],
  gaveUp: null,
  outcome: {
    kind: 'completed',
    answer: {
      kind: 'chat',
      firstByte: instant(5190),
      tokens: { input: 10, output: 20, source: 'usage' },
      finish: 'stop',
      notes: [],
      cost: 14,
    },
  },
  ...differing,
});

/** Returns a chat that was due at `dueAt` and answered after `took`, both in ms. */
export const answeredChat = (dueAt: number, took: number): Observation => {
  const [due, ended] = [instant(dueAt), instant(dueAt + took)];
  const { outcome, head, ...sample } = sampleObservation();
  if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat' || head === null)
    throw new Error('the sample is an answered chat');
  return {
    ...sample,
    due,
    released: due,
    begun: due,
    connected: due,
    sent: due,
    head: { ...head, at: ended },
    ended,
    outcome: { ...outcome, answer: { ...outcome.answer, firstByte: ended } },
  };
};

/** Returns a streamed answer whose token events came at these instants. */
export const sampleStream = (
  moments: readonly number[],
  differing: Partial<ChatStreamAnswer> = {},
): ChatStreamAnswer => {
  const at = (i: number): Instant | null => {
    const moment = moments.at(i);
    return moment === undefined ? null : instant(moment);
  };
  return {
    kind: 'chat-stream',
    firstByte: at(0) ?? instant(0),
    firstEvent: at(0),
    firstToken: at(0),
    firstVisible: at(0),
    lastToken: at(-1),
    tokenInstants: Float64Array.from(moments),
    commentInstants: new Float64Array(),
    coalesced: 0,
    tokens: { input: 10, output: moments.length, source: 'usage' },
    firstChunkTokens: null,
    finish: 'stop',
    buffered: false,
    notes: [],
    cost: null,
    ...differing,
  };
};

/** Returns four seconds of speech for tests: 32 characters in 64 kB, the first after 60 ms. */
export const sampleSpeech = (differing: Partial<SpeechAnswer> = {}): SpeechAnswer => ({
  kind: 'speech',
  firstByte: instant(5050),
  firstAudio: instant(5060),
  bytes: 64_000,
  audioSeconds: 4,
  characters: 32,
  notes: [],
  cost: 480,
  ...differing,
});

/** Returns a transcript for tests, of an eight-second clip of twenty words, one of them wrong. */
export const sampleTranscript = (
  differing: Partial<TranscriptionAnswer> = {},
): TranscriptionAnswer => ({
  kind: 'transcription',
  firstByte: instant(5190),
  audioSeconds: 8,
  words: { wrong: 1, expected: 20 },
  notes: [],
  cost: 800,
  ...differing,
});

/** Returns a refusal for tests, with the gateway's documented error body. */
export const refusedWith = (
  message: string,
  differing: Partial<Extract<Observation['outcome'], { kind: 'refused' }>['refusal']> = {},
): Extract<Observation['outcome'], { kind: 'refused' }> => ({
  kind: 'refused',
  refusal: {
    status: 401,
    form: 'error',
    type: 'authentication_error',
    code: 'invalid_api_key',
    message,
    ...differing,
  },
});
