import { type Observation, paceWaitOf, retryWaitOf } from '../observation/observation.ts';
import type { TokenCounts } from '../observation/outcome.ts';
import { trafficKinds } from '../workload/traffic.ts';
import { gapsOf, longestGapOf, measuresOf, type Measure, ratePerSecond, span } from './measure.ts';

const stream = measuresOf('chat-stream');
const chat = measuresOf('chat', 'chat-stream');

/** Returns the output tokens that the server counted; `null` if the tokens are estimated. */
const countedOutput = ({ tokens }: { readonly tokens: TokenCounts }): number | null =>
  tokens.source === 'usage' ? tokens.output : null;

interface StreamTokens {
  readonly tokens: TokenCounts;
  readonly firstChunkTokens: number | null;
}

/** Returns the number of output tokens after the first event; `null` if no token came after the first event. */
const laterTokens = (answer: StreamTokens): number | null => {
  const output = countedOutput(answer) ?? 0;
  const later = output - (answer.firstChunkTokens ?? 1);
  return output < 2 || later < 1 ? null : later;
};

const chatMeasures = {
  ttft: stream(
    ['Time to first token', 'TTFT', 'ms', 'lower'],
    'From due to the first event whose delta has content, reasoning, a tool call or a refusal.',
    (answer, { due }) => span(due, answer.firstToken),
  ),
  ttftService: stream(
    ['Time to first token, from sent', 'TTFT from sent', 'ms', 'lower'],
    'From the first byte written to the first token: the server’s part of TTFT.',
    (answer, { sent }) => span(sent, answer.firstToken),
  ),
  firstEvent: stream(
    ['Time to first event (vLLM-compatible TTFT)', 'First event', 'ms', 'lower'],
    'From sent to the first event with choices; a role-only event counts.',
    (answer, { sent }) => span(sent, answer.firstEvent),
  ),
  firstVisible: stream(
    ['Time to first visible token', 'First visible', 'ms', 'lower'],
    'From due to the first token that is not reasoning.',
    (answer, { due }) => span(due, answer.firstVisible),
  ),
  gap: stream(
    ['Chunk gap', 'Chunk gap', 'ms', 'lower'],
    'Time between consecutive token events. Not inter-token latency: an event can hold several tokens.',
    ({ buffered, tokenInstants }) => (buffered ? null : gapsOf(tokenInstants)),
  ),
  stall: stream(
    ['Longest stall', 'Longest stall', 'ms', 'lower'],
    'The largest chunk gap of a response.',
    ({ buffered, tokenInstants }) =>
      buffered || tokenInstants.length < 2 ? null : longestGapOf(tokenInstants),
  ),
  tpot: stream(
    ['Time per output token', 'TPOT', 'ms', 'lower'],
    '(last token − first token) / (output tokens counted by the server − tokens of the first event, 1 unless the server reports them). Undefined below two tokens.',
    (answer) => {
      const later = laterTokens(answer);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || later === null ? null : time / later;
    },
  ),
  outputSpeed: stream(
    ['Output speed', 'Output speed', 'tokens/s', 'higher'],
    'The inverse of TPOT, per response. Its slow tail is p5.',
    (answer) => {
      const later = laterTokens(answer);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || later === null ? null : ratePerSecond(later, time);
    },
  ),
  tokensPerChunk: stream(
    ['Tokens per chunk', 'Tokens per chunk', 'tokens/chunk', 'neither'],
    'Output tokens counted by the server / token events.',
    (answer) => {
      const output = countedOutput(answer);
      const events = answer.tokenInstants.length;
      return output === null || events === 0 ? null : output / events;
    },
  ),
  closing: stream(
    ['Stream close', 'Stream close', 'ms', 'lower'],
    'From the last token to the end of the stream.',
    (answer, { ended }) => span(answer.lastToken, ended),
  ),
  inputTokens: chat(
    ['Input tokens', 'Input tokens', 'tokens', 'neither'],
    'Prompt tokens counted by the server; absent if it reports none.',
    ({ tokens }) => tokens.input,
  ),
  outputTokens: chat(
    ['Output tokens', 'Output tokens', 'tokens', 'neither'],
    'Completion tokens counted by the server; absent if it reports none.',
    countedOutput,
  ),
  cachedTokens: chat(
    ['Cached tokens', 'Cached tokens', 'tokens', 'neither'],
    'From a cache, as the server says; absent for none.',
    ({ tokens: { cached = 0 } }) => (cached === 0 ? null : cached),
  ),
  cachedShare: chat(
    ['Prompt cached', 'Cached', '%', 'higher'],
    'Cached tokens / input tokens; absent if not reported.',
    ({ tokens: { input, cached } }) =>
      cached === undefined || input === null || input === 0
        ? null
        : (Math.min(cached, input) / input) * 100,
  ),
  reasoningTokens: chat(
    ['Reasoning tokens', 'Reasoning', 'tokens', 'neither'],
    'As the server says; absent for none.',
    ({ tokens }) => tokens.reasoning ?? null,
  ),
} as const satisfies Record<string, Measure>;

const speech = measuresOf('speech');
const transcription = measuresOf('transcription');
const priced = measuresOf('chat', 'chat-stream', 'speech', 'transcription');

/** Returns the wall time in ms per second of audio; `null` without audio. */
const realTimeFactor = (wallTime: number | null, audioSeconds: number | null): number | null =>
  wallTime === null || audioSeconds === null || audioSeconds <= 0 ? null : wallTime / audioSeconds;

const audioMeasures = {
  firstAudio: speech(
    ['Time to first audio', 'First audio', 'ms', 'lower'],
    'From due to the read with the first audio, after the container’s header.',
    (answer, { due }) => span(due, answer.firstAudio),
  ),
  firstByte: speech(
    ['Time to first byte', 'First byte', 'ms', 'lower'],
    'From sent to the first byte of the body.',
    (answer, { sent }) => span(sent, answer.firstByte),
  ),
  speechFactor: speech(
    ['Real-time factor of speech', 'RTF speech', 'ms/s', 'lower'],
    'From sent to ended, for each second of received audio: 1,000 ms/s is real time, a factor of 1.',
    ({ audioSeconds }, { sent, ended }) => realTimeFactor(span(sent, ended), audioSeconds),
  ),
  speakingSpeed: speech(
    ['Characters per second', 'Characters/s', 'characters/s', 'higher'],
    'Characters of the text / time from sent to ended.',
    ({ characters }, { sent, ended }) => ratePerSecond(characters, span(sent, ended)),
  ),
  transcriptionFactor: transcription(
    ['Real-time factor of transcription', 'RTF transcr.', 'ms/s', 'lower'],
    'From sent to ended, for each second of uploaded audio: 1,000 ms/s is real time, a factor of 1.',
    ({ audioSeconds }, { sent, ended }) => realTimeFactor(span(sent, ended), audioSeconds),
  ),
  wordErrorRate: transcription(
    ['Word error rate', 'Word errors', '%', 'lower'],
    'Words inserted, deleted or replaced / words of the true text, ignoring case and punctuation; absent if that text is unknown.',
    ({ words }) =>
      words === null || words.expected === 0 ? null : (words.wrong / words.expected) * 100,
  ),
  speechSeconds: speech(
    ['Audio received', 'Audio received', 's', 'neither'],
    'Length of the audio, decoded from its container.',
    ({ audioSeconds }) => audioSeconds,
  ),
  clipSeconds: transcription(
    ['Audio sent', 'Audio sent', 's', 'neither'],
    'Length of the uploaded clip, decoded from its container.',
    ({ audioSeconds }) => audioSeconds,
  ),
  characters: speech(
    ['Characters spoken', 'Characters', 'characters', 'neither'],
    'Unicode characters of the text.',
    ({ characters }) => characters,
  ),
  speechBytes: speech(
    ['Bytes of audio', 'Bytes', 'bytes', 'neither'],
    'Bytes of the body.',
    ({ bytes }) => bytes,
  ),
  cost: priced(
    ['Cost', 'Cost', 'µ', 'lower'],
    'Millionths of the currency for a completed answer; absent if a price or count is unknown.',
    ({ cost }) => cost,
  ),
} as const satisfies Record<string, Measure>;

const request = measuresOf(...trafficKinds);

/**
 * The measures of a request. Recorders, objectives, comparisons and reports read this table. Completed requests can
 * have samples of every measure, failed answers only of `measuresOfFirst`. Failures are counted by outcome, and every
 * rate includes failures.
 */
export const measures = {
  ...chatMeasures,
  ...audioMeasures,
  endToEnd: request(
    ['End to end', 'End to end', 'ms', 'lower'],
    'From due to the last token of a stream, or to the end of any other answer, over all attempts.',
    (answer, { due, ended }) =>
      span(due, answer.kind === 'chat-stream' ? (answer.lastToken ?? ended) : ended),
  ),
  serviceTime: request(
    ['Service time', 'Service time', 'ms', 'lower'],
    'From sent to ended: the time of server and network. After retries, that of the last attempt.',
    (_, { sent, ended }) => span(sent, ended),
  ),
  headers: request(
    ['Time to headers', 'To headers', 'ms', 'lower'],
    'From sent to the complete response head.',
    (_, { sent, head }) => span(sent, head?.at ?? null),
  ),
  connect: request(
    ['Connect time', 'Connect', 'ms', 'lower'],
    'From begun to an established connection. Only of connections opened for their request, not ahead of it (wire.connectAhead); after a reconnect, from there on.',
    (_, { begun, reconnected, connected, connection }) =>
      connection === 'new' ? span(reconnected ?? begun, connected) : null,
  ),
  retryWait: request(
    ['Waited to retry', 'Waited to retry', 'ms', 'lower'],
    'Sum of the waits before further attempts: as long as the server asked for, otherwise Weir’s backoff. Only of requests with retries.',
    (_, observation) => retryWaitOf(observation),
  ),
  paceWait: request(
    ['Waited for the pace', 'Pace wait', 'ms', 'lower'],
    'From ready to released, over all attempts: the wait for a free place within the limits. Only of plans with a pace.',
    (_, observation) => paceWaitOf(observation),
  ),
  catalogue: measuresOf('models')(
    ['Models listed', 'Models listed', 'models', 'neither'],
    'Entries of the model list.',
    (answer) => answer.models,
  ),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as readonly MeasureName[];

/**
 * The times until an answer begins, for example until its first token or its first audio. An answer that fails later
 * has such a time, too. Tables include it. Objectives do not, because they count each request that did not complete as
 * infinitely slow.
 */
export const measuresOfFirst = [
  'ttft',
  'ttftService',
  'firstEvent',
  'firstVisible',
  'firstAudio',
  'firstByte',
] as const satisfies readonly MeasureName[];

/** The measures of token classes that most answers do not report. */
export const measuresOfClasses: ReadonlySet<MeasureName> = new Set([
  'cachedTokens',
  'cachedShare',
  'reasoningTokens',
]);

export const isOfFirst = (name: MeasureName): name is (typeof measuresOfFirst)[number] =>
  measuresOfFirst.some((each) => each === name);

export const tabledSamples = (
  name: MeasureName,
  observation: Observation,
): readonly number[] | Float64Array =>
  measures[name][isOfFirst(name) && observation.outcome.kind !== 'completed' ? 'ofPartial' : 'of'](
    observation,
  );

const timedUnits: ReadonlySet<Measure['unit']> = new Set([
  'ms',
  'ms/s',
  'tokens/s',
  'characters/s',
]);

/**
 * Returns whether a measure says how fast an answer was. A request on which the client planned to hang up has no sample
 * of such a measure, because only fast answers end before the hang-up.
 */
export const isTimed = ({ unit }: Measure): boolean => timedUnits.has(unit);

/** The times that may have no sample (`connect` on a reused connection) or several (`gap`) in a completed request. */
const timesOfSome: ReadonlySet<MeasureName> = new Set(['gap', 'connect', 'retryWait', 'paceWait']);

/**
 * Returns whether a measure is a time of which every completed request has exactly one sample. For such a measure, a
 * failed request counts as infinitely slow.
 */
export const isTimeOfEachRequest = (name: MeasureName): boolean =>
  measures[name].unit === 'ms' && measures[name].better === 'lower' && !timesOfSome.has(name);
