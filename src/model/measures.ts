import { answered, completed, fromAnswer, gapsOf, type Sampling, span } from './sampling.ts';
import type { TrafficKind } from './traffic.ts';

/**
 * One table of everything that Weir measures per request. Recorders, objectives, comparison and
 * reports all read it; a new measure is one row. Only completed requests give samples; the
 * failures beside them are counted by outcome and never left out of a rate.
 */
export interface Measure {
  readonly label: string;
  /** At most 16 characters, for narrow tables. */
  readonly short: string;
  readonly unit: 'ms' | 'tokens/s' | 'tokens' | 'tokens/chunk' | 'models';
  readonly better: 'lower' | 'higher' | 'neither';
  readonly traffic: readonly TrafficKind[];
  /** The definition as reports print it. */
  readonly definition: string;
  /** The samples that one observation gives; most give none or one. */
  readonly of: Sampling;
}

const all: readonly TrafficKind[] = ['chat', 'chat-stream', 'models'];
const chats: readonly TrafficKind[] = ['chat', 'chat-stream'];
const streams: readonly TrafficKind[] = ['chat-stream'];

export const measures = {
  ttft: {
    label: 'Time to first token',
    short: 'TTFT',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition:
      'From due to the first event whose delta carries content, reasoning, a tool call or a refusal.',
    of: fromAnswer('chat-stream', (answer, { due }) => span(due, answer.firstToken)),
  },
  ttftService: {
    label: 'Time to first token, from sent',
    short: 'TTFT from sent',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition: 'From the first byte written to the first token: the server’s part of TTFT.',
    of: fromAnswer('chat-stream', (answer, { sent }) => span(sent, answer.firstToken)),
  },
  firstEvent: {
    label: 'Time to first event (vLLM-compatible TTFT)',
    short: 'First event',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition: 'From sent to the first event with choices; a role-only event counts.',
    of: fromAnswer('chat-stream', (answer, { sent }) => span(sent, answer.firstEvent)),
  },
  firstVisible: {
    label: 'Time to first visible token',
    short: 'First visible',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition: 'From due to the first token that is not reasoning.',
    of: fromAnswer('chat-stream', (answer, { due }) => span(due, answer.firstVisible)),
  },
  gap: {
    label: 'Chunk gap',
    short: 'Chunk gap',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition:
      'Time between consecutive token events. Not inter-token latency: an event can hold several tokens.',
    of: fromAnswer('chat-stream', ({ buffered, tokenInstants }) =>
      buffered ? null : gapsOf(tokenInstants),
    ),
  },
  stall: {
    label: 'Longest stall',
    short: 'Longest stall',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition: 'The largest chunk gap of a response.',
    of: fromAnswer('chat-stream', ({ buffered, tokenInstants }) =>
      buffered || tokenInstants.length < 2
        ? null
        : gapsOf(tokenInstants).reduce((a, b) => Math.max(a, b)),
    ),
  },
  tpot: {
    label: 'Time per output token',
    short: 'TPOT',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition:
      '(last token − first token) / (output tokens − tokens of the first event, taken as 1 unless the server tells). Undefined below two tokens.',
    of: fromAnswer('chat-stream', (answer) => {
      const rest = answer.tokens.output - (answer.firstChunkTokens ?? 1);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || answer.tokens.output < 2 || rest < 1
        ? null
        : time / rest;
    }),
  },
  outputSpeed: {
    label: 'Output speed',
    short: 'Output speed',
    unit: 'tokens/s',
    better: 'higher',
    traffic: streams,
    definition: 'Output tokens / (last token − first token), per response.',
    of: fromAnswer('chat-stream', (answer) => {
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || time <= 0
        ? null
        : (answer.tokens.output / time) * 1000;
    }),
  },
  tokensPerChunk: {
    label: 'Tokens per chunk',
    short: 'Tokens per chunk',
    unit: 'tokens/chunk',
    better: 'neither',
    traffic: streams,
    definition: 'Output tokens that the server counted / token events.',
    of: fromAnswer('chat-stream', ({ tokens, tokenInstants }) =>
      tokens.source !== 'usage' || tokenInstants.length === 0
        ? null
        : tokens.output / tokenInstants.length,
    ),
  },
  endToEnd: {
    label: 'End to end',
    short: 'End to end',
    unit: 'ms',
    better: 'lower',
    traffic: all,
    definition: 'From due to the last token of a stream, or to the end of any other answer.',
    of: completed((observation) => span(observation.due, answered(observation))),
  },
  serviceTime: {
    label: 'Service time',
    short: 'Service time',
    unit: 'ms',
    better: 'lower',
    traffic: all,
    definition: 'From sent to ended: what the server and the network took.',
    of: completed(({ sent, ended }) => span(sent, ended)),
  },
  headers: {
    label: 'Time to headers',
    short: 'To headers',
    unit: 'ms',
    better: 'lower',
    traffic: all,
    definition: 'From sent to the complete response head.',
    of: completed(({ sent, head }) => span(sent, head?.at ?? null)),
  },
  connect: {
    label: 'Connect time',
    short: 'Connect',
    unit: 'ms',
    better: 'lower',
    traffic: all,
    definition: 'From begun to an established connection; new connections only.',
    of: completed(({ begun, connected, connection }) =>
      connection === 'new' ? span(begun, connected) : null,
    ),
  },
  closing: {
    label: 'Stream close',
    short: 'Stream close',
    unit: 'ms',
    better: 'lower',
    traffic: streams,
    definition: 'From the last token to the end of the stream.',
    of: fromAnswer('chat-stream', (answer, { ended }) => span(answer.lastToken, ended)),
  },
  inputTokens: {
    label: 'Input tokens',
    short: 'Input tokens',
    unit: 'tokens',
    better: 'neither',
    traffic: chats,
    definition: 'Prompt tokens as the server counted them; absent where it did not.',
    of: completed(({ outcome }) =>
      outcome.kind === 'completed' && 'tokens' in outcome.answer
        ? outcome.answer.tokens.input
        : null,
    ),
  },
  outputTokens: {
    label: 'Output tokens',
    short: 'Output tokens',
    unit: 'tokens',
    better: 'neither',
    traffic: chats,
    definition: 'Completion tokens: the server’s count, else token events, else characters / 4.',
    of: completed(({ outcome }) =>
      outcome.kind === 'completed' && 'tokens' in outcome.answer
        ? outcome.answer.tokens.output
        : null,
    ),
  },
  catalogue: {
    label: 'Models listed',
    short: 'Models listed',
    unit: 'models',
    better: 'neither',
    traffic: ['models'],
    definition: 'Entries of the model list.',
    of: fromAnswer('models', (answer) => answer.models),
  },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as readonly MeasureName[];
