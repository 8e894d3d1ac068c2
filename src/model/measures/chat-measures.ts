import type { TokenCounts } from '../observation/outcome.ts';
import {
  type AnswerSample,
  fromCompleted,
  fromAnswer,
  gapsOf,
  type Measure,
  ratePerSecond,
  span,
} from './measure.ts';
import type { TrafficKind } from '../workload/traffic.ts';

const chats: readonly TrafficKind[] = ['chat', 'chat-stream'];
const streams: readonly TrafficKind[] = ['chat-stream'];

/** A time of streamed chats in ms. */
const streamTime = (
  [label, short]: readonly [label: string, short: string],
  definition: string,
  sample: AnswerSample<'chat-stream'>,
): Measure => ({
  label,
  short,
  unit: 'ms',
  better: 'lower',
  traffic: streams,
  definition,
  of: fromAnswer('chat-stream', sample),
});

/** The output tokens that the server counted; estimates are summed separately. */
const countedOutput = ({ tokens }: { readonly tokens: TokenCounts }): number | null =>
  tokens.source === 'usage' ? tokens.output : null;

export const chatMeasures = {
  ttft: streamTime(
    ['Time to first token', 'TTFT'],
    'From due to the first event whose delta has content, reasoning, a tool call or a refusal.',
    (answer, { due }) => span(due, answer.firstToken),
  ),
  ttftService: streamTime(
    ['Time to first token, from sent', 'TTFT from sent'],
    'From the first byte written to the first token: the server’s part of TTFT.',
    (answer, { sent }) => span(sent, answer.firstToken),
  ),
  firstEvent: streamTime(
    ['Time to first event (vLLM-compatible TTFT)', 'First event'],
    'From sent to the first event with choices; a role-only event counts.',
    (answer, { sent }) => span(sent, answer.firstEvent),
  ),
  firstVisible: streamTime(
    ['Time to first visible token', 'First visible'],
    'From due to the first token that is not reasoning.',
    (answer, { due }) => span(due, answer.firstVisible),
  ),
  gap: streamTime(
    ['Chunk gap', 'Chunk gap'],
    'Time between consecutive token events. Not inter-token latency: an event can hold several tokens.',
    ({ buffered, tokenInstants }) => (buffered ? null : gapsOf(tokenInstants)),
  ),
  stall: streamTime(
    ['Longest stall', 'Longest stall'],
    'The largest chunk gap of a response.',
    ({ buffered, tokenInstants }) =>
      buffered || tokenInstants.length < 2
        ? null
        : gapsOf(tokenInstants).reduce((a, b) => Math.max(a, b)),
  ),
  tpot: streamTime(
    ['Time per output token', 'TPOT'],
    '(last token − first token) / (output tokens counted by the server − tokens of the first event, 1 unless the server reports them). Undefined below two tokens.',
    (answer) => {
      const output = countedOutput(answer) ?? 0;
      const later = output - (answer.firstChunkTokens ?? 1);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || output < 2 || later < 1 ? null : time / later;
    },
  ),
  outputSpeed: {
    label: 'Output speed',
    short: 'Output speed',
    unit: 'tokens/s',
    better: 'higher',
    traffic: streams,
    definition: 'Output tokens counted by the server / (last token − first token), per response.',
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
    definition: 'Output tokens counted by the server / token events.',
    of: fromAnswer('chat-stream', (answer) => {
      const output = countedOutput(answer);
      const events = answer.tokenInstants.length;
      return output === null || events === 0 ? null : output / events;
    }),
  },
  closing: streamTime(
    ['Stream close', 'Stream close'],
    'From the last token to the end of the stream.',
    (answer, { ended }) => span(answer.lastToken, ended),
  ),
  inputTokens: {
    label: 'Input tokens',
    short: 'Input tokens',
    unit: 'tokens',
    better: 'neither',
    traffic: chats,
    definition: 'Prompt tokens counted by the server; absent if it reports none.',
    of: fromCompleted((_, answer) => ('tokens' in answer ? answer.tokens.input : null)),
  },
  outputTokens: {
    label: 'Output tokens',
    short: 'Output tokens',
    unit: 'tokens',
    better: 'neither',
    traffic: chats,
    definition: 'Completion tokens counted by the server; absent if it reports none.',
    of: fromCompleted((_, answer) => ('tokens' in answer ? countedOutput(answer) : null)),
  },
} as const satisfies Record<string, Measure>;
