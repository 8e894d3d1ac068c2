import type { TokenCounts } from '../observation/outcome.ts';
import { fromCompleted, fromAnswer, gapsOf, type Measure, ratePerSecond, span } from './measure.ts';
import type { TrafficKind } from '../workload/traffic.ts';

const chats: readonly TrafficKind[] = ['chat', 'chat-stream'];
const streams: readonly TrafficKind[] = ['chat-stream'];

/** The output tokens that the server counted; estimates are summed beside them and never mixed in. */
const countedOutput = ({ tokens }: { readonly tokens: TokenCounts }): number | null =>
  tokens.source === 'usage' ? tokens.output : null;

/** What only chats and streams have. */
export const chatMeasures = {
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
      '(last token − first token) / (output tokens that the server counted − tokens of the first event, taken as 1 unless the server tells). Undefined below two tokens.',
    of: fromAnswer('chat-stream', (answer) => {
      const output = countedOutput(answer) ?? 0;
      const rest = output - (answer.firstChunkTokens ?? 1);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || output < 2 || rest < 1 ? null : time / rest;
    }),
  },
  outputSpeed: {
    label: 'Output speed',
    short: 'Output speed',
    unit: 'tokens/s',
    better: 'higher',
    traffic: streams,
    definition: 'Output tokens that the server counted / (last token − first token), per response.',
    of: fromAnswer('chat-stream', (answer) => {
      const output = countedOutput(answer);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || output === null ? null : ratePerSecond(output, time);
    }),
  },
  tokensPerChunk: {
    label: 'Tokens per chunk',
    short: 'Tokens per chunk',
    unit: 'tokens/chunk',
    better: 'neither',
    traffic: streams,
    definition: 'Output tokens that the server counted / token events.',
    of: fromAnswer('chat-stream', (answer) => {
      const output = countedOutput(answer);
      return output === null || answer.tokenInstants.length === 0
        ? null
        : output / answer.tokenInstants.length;
    }),
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
    of: fromCompleted(({ outcome }) =>
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
    definition: 'Completion tokens as the server counted them; absent where it did not.',
    of: fromCompleted(({ outcome }) =>
      outcome.kind === 'completed' && 'tokens' in outcome.answer
        ? countedOutput(outcome.answer)
        : null,
    ),
  },
} as const satisfies Record<string, Measure>;
