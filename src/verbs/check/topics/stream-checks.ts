import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  checksOf,
  type Judged,
  open,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import {
  fieldText,
  judgeAccepted,
  judgeContentType,
  judgeEncoding,
  judgeRefused,
  valueAt,
} from '../reading/judge-answer.ts';
import {
  eventsOf,
  failureInStream,
  judgeChoices,
  judgeChunkIds,
  judgeChunks,
  judgeDocuments,
  judgeEnd,
  judgeFraming,
  judgeIncrements,
  judgeStreamFinish,
  judgeStreamUsage,
} from '../reading/judge-stream.ts';
import { chatTokens, chatWith } from './check-requests.ts';

/** This file checks streamed chats byte by byte (interface, sections 2.5 and 4.1). */

const { caseOf, checkOf } = checksOf('streams');
const maxTokens = 16;

const judgeStream = (answer: CheckAnswer): Judged => {
  const accepted = judgeAccepted(answer);
  if (accepted.outcome !== 'pass') return accepted;
  if (eventsOf(answer).length === 0) return violation('status 200 without an event');
  const failure = failureInStream(answer);
  return failure === null ? accepted : violation(failure);
};

const streamCase = (id: string, what: string, fields: object, rows: readonly string[]): CheckCase =>
  caseOf(
    {
      id,
      rows,
      expected: `200 with a whole stream for ${what}`,
      isStream: true,
      cost: chatTokens(maxTokens),
      build: chatWith({
        messages: [{ role: 'user', content: 'Count from one to two hundred in words.' }],
        max_tokens: maxTokens,
        stream: true,
        ...fields,
      }),
    },
    judgeStream,
  );

const plain = streamCase('stream', 'a streamed chat', {}, ['4.1.stream', '4.1.events', '7.200']);

const withUsage = streamCase(
  'stream-usage',
  'a streamed chat with stream_options {include_usage: true}',
  { stream_options: { include_usage: true } },
  ['4.1.stream_usage'],
);

/** The request that asks for usage. The interface does not have this parameter, so a refusal is no violation. */
const usageCase: CheckCase = {
  ...withUsage,
  check: {
    ...withUsage.check,
    expected: 'whether stream_options is accepted is noted',
    judge: (answers) => {
      const judged = withUsage.check.judge(answers);
      const status = answers.of('stream-usage')?.status ?? 0;
      return judged.outcome === 'violation' && (status === 400 || status === 422)
        ? open(`stream_options is refused: ${judged.observed}`)
        : judged;
    },
  },
};

const wrong = caseOf(
  {
    id: 'stream-refused',
    rows: ['7.400', '4.1.temperature'],
    expected: '400 before the stream begins, for a wrong parameter',
    isStream: true,
    build: chatWith({ stream: true, temperature: 2.1 }),
  },
  judgeRefused(400),
);

export const streamCases: readonly CheckCase[] = [plain, usageCase, wrong];

export const streamChecks: readonly Check[] = [
  ...streamCases.map(({ check }) => check),
  checkOf(
    'stream.content-type',
    ['4.1.events'],
    'Content-Type is text/event-stream',
    judgeContentType('text/event-stream'),
  ),
  checkOf(
    'stream.framing',
    ['4.1.events'],
    'each event is a line data: … followed by a blank line',
    (answer) => judgeFraming(answer.text),
  ),
  checkOf(
    'stream.compressed',
    ['4.1.events'],
    'the stream is not compressed, as none was asked for',
    judgeEncoding,
  ),
  checkOf('stream.done', ['4.1.done'], 'the last line is data: [DONE]', (answer) =>
    judgeEnd(answer.text, answer.received.isLeftOpen),
  ),
  checkOf('stream.json', ['4.1.events'], 'the data of each event is JSON', judgeDocuments),
  checkOf(
    'stream.object',
    ['2.5.object'],
    'object is chat.completion.chunk in every chunk',
    (answer) =>
      judgeChunks(answer, (chunk) => {
        const object = valueAt(chunk, 'object');
        return object === 'chat.completion.chunk'
          ? null
          : violation(`object is ${fieldText(answer, object)}`);
      }),
  ),
  checkOf('stream.id', ['2.5.id'], 'every chunk carries the id of the answer', judgeChunkIds),
  checkOf(
    'stream.choices',
    ['2.5.choices'],
    'every chunk carries choices, each with delta',
    (answer) => judgeChunks(answer, judgeChoices),
  ),
  checkOf('stream.content', ['2.5.content'], 'text comes in delta.content', judgeIncrements),
  checkOf(
    'stream.finish',
    ['4.1.stream_usage'],
    'whether chunks have finish_reason is noted',
    judgeStreamFinish,
  ),
  checkOf(
    'stream.usage',
    ['4.1.stream_usage', '4.1.max_tokens'],
    'where the stream reports its usage, the increments agree with it',
    (answer) =>
      eventsOf(answer).length === 0 ? unchecked('no events') : judgeStreamUsage(answer, maxTokens),
    'stream-usage',
  ),
  checkOf(
    'stream-usage.choices',
    ['2.5.choices'],
    'every chunk carries choices, also the one with the usage',
    (answer) => judgeChunks(answer, judgeChoices),
  ),
];
