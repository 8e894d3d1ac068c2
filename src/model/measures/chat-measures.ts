import type { TokenCounts } from '../observation/outcome.ts';
import { gapsOf, longestGapOf, measuresOf, type Measure, ratePerSecond, span } from './measure.ts';

const stream = measuresOf('chat-stream');
const chat = measuresOf('chat', 'chat-stream');

/** The output tokens that the server counted; estimates are summed separately. */
const countedOutput = ({ tokens }: { readonly tokens: TokenCounts }): number | null =>
  tokens.source === 'usage' ? tokens.output : null;

export const chatMeasures = {
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
      const output = countedOutput(answer) ?? 0;
      const later = output - (answer.firstChunkTokens ?? 1);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || time === null || output < 2 || later < 1 ? null : time / later;
    },
  ),
  outputSpeed: stream(
    ['Output speed', 'Output speed', 'tokens/s', 'higher'],
    'Output tokens counted by the server / (last token − first token), per response.',
    (answer) => {
      const output = countedOutput(answer);
      const time = span(answer.firstToken, answer.lastToken);
      return answer.buffered || output === null ? null : ratePerSecond(output, time);
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
} as const satisfies Record<string, Measure>;
