import { readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  caseOf,
  checkOf,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { chatTokens, chatWith } from './chat-requests.ts';
import { fieldText, placesAt } from '../reading/json-fields.ts';
import {
  eventsOf,
  judgeChoices,
  judgeChunkIds,
  judgeChunks,
  judgeDocuments,
  judgeIncrements,
  judgeStreamFinish,
  judgeStreamUsage,
} from '../reading/judge-chunks.ts';
import { judgeAccepted, judgeEncoding, judgeRefused } from '../reading/judge-status.ts';
import { judgeEnd, judgeFraming } from '../reading/stream-lines.ts';

/** Streamed chats, byte by byte (interface 2.5, 4.1). */

const topic = 'streams';
const request = 'stream';
const maxTokens = 16;

const judgeStream = (answer: CheckAnswer): Judged => {
  const accepted = judgeAccepted(answer);
  if (accepted.outcome !== 'pass') return accepted;
  if (eventsOf(answer).length === 0) return violation('status 200 without an event');
  const failed = eventsOf(answer).find(
    ({ type, json }) => type === 'error' || readErrorBody(json, (text) => text) !== null,
  );
  if (failed === undefined) return accepted;
  const error = readErrorBody(failed.json, (text) => text);
  return violation(`an error in mid-stream: ${answer.quote(error?.message ?? 'no message')}`);
};

const streamCase = (parts: {
  readonly id: string;
  readonly title: string;
  readonly fields: object;
  readonly rows: readonly string[];
}): CheckCase =>
  caseOf(
    {
      id: parts.id,
      topic,
      rows: parts.rows,
      expected: `200 with a whole stream for ${parts.title}`,
      title: parts.title,
      isStream: true,
      cost: chatTokens(maxTokens),
      build: chatWith({
        messages: [{ role: 'user', content: 'Count from one to two hundred in words.' }],
        max_tokens: maxTokens,
        stream: true,
        ...parts.fields,
      }),
    },
    judgeStream,
  );

const plain = streamCase({
  id: request,
  title: 'a streamed chat',
  fields: {},
  rows: ['4.1.stream', '4.1.events', '7.200'],
});

const withUsage = streamCase({
  id: 'stream-usage',
  title: 'a streamed chat with stream_options {include_usage: true}',
  fields: { stream_options: { include_usage: true } },
  rows: ['4.1.stream_usage'],
});

/** The parameter is not part of the interface: a refusal breaks nothing. */
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
    topic,
    rows: ['7.400', '4.1.temperature'],
    expected: '400 before the stream begins, for a wrong parameter',
    title: 'a streamed chat with temperature 2.1',
    isStream: true,
    build: chatWith({ stream: true, temperature: 2.1 }),
  },
  judgeRefused(400),
);

export const streamCases: readonly CheckCase[] = [plain, usageCase, wrong];

const rowsOf = (...rows: readonly string[]) => ({ topic, rows, request }) as const;

export const streamChecks: readonly Check[] = [
  ...streamCases.map(({ check }) => check),
  checkOf(
    {
      id: 'stream.content-type',
      ...rowsOf('4.1.events'),
      expected: 'Content-Type is text/event-stream',
    },
    (answer) =>
      answer.contentType === 'text/event-stream'
        ? pass(answer.contentType)
        : violation(`Content-Type is ${answer.quote(answer.contentType) || 'missing'}`),
  ),
  checkOf(
    {
      id: 'stream.framing',
      ...rowsOf('4.1.events'),
      expected: 'each event is a line data: … followed by a blank line',
    },
    (answer) => judgeFraming(answer.text),
  ),
  checkOf(
    {
      id: 'stream.compressed',
      ...rowsOf('4.1.events'),
      expected: 'the stream is not compressed, as none was asked for',
    },
    judgeEncoding,
  ),
  checkOf(
    { id: 'stream.done', ...rowsOf('4.1.done'), expected: 'the last line is data: [DONE]' },
    (answer) => judgeEnd(answer.text, answer.received.isLeftOpen),
  ),
  checkOf(
    { id: 'stream.json', ...rowsOf('4.1.events'), expected: 'the data of each event is JSON' },
    judgeDocuments,
  ),
  checkOf(
    {
      id: 'stream.object',
      ...rowsOf('2.5.object'),
      expected: 'object is chat.completion.chunk in every chunk',
    },
    (answer) =>
      judgeChunks(answer, (chunk) => {
        const object = placesAt(chunk, 'object')[0]?.value;
        return object === 'chat.completion.chunk'
          ? null
          : violation(`object is ${fieldText(answer, object)}`);
      }),
  ),
  checkOf(
    { id: 'stream.id', ...rowsOf('2.5.id'), expected: 'every chunk carries the id of the answer' },
    judgeChunkIds,
  ),
  checkOf(
    {
      id: 'stream.choices',
      ...rowsOf('2.5.choices'),
      expected: 'every chunk carries choices, each with delta',
    },
    (answer) => judgeChunks(answer, judgeChoices),
  ),
  checkOf(
    { id: 'stream.content', ...rowsOf('2.5.content'), expected: 'text comes in delta.content' },
    judgeIncrements,
  ),
  checkOf(
    {
      id: 'stream.finish',
      ...rowsOf('4.1.stream_usage'),
      expected: 'whether chunks have finish_reason is noted',
    },
    judgeStreamFinish,
  ),
  checkOf(
    {
      id: 'stream.usage',
      topic,
      rows: ['4.1.stream_usage', '4.1.max_tokens'],
      request: 'stream-usage',
      expected: 'where the stream reports its usage, the increments agree with it',
    },
    (answer) =>
      eventsOf(answer).length === 0 ? unchecked('no events') : judgeStreamUsage(answer, maxTokens),
  ),
  checkOf(
    {
      id: 'stream-usage.choices',
      topic,
      rows: ['2.5.choices'],
      request: 'stream-usage',
      expected: 'every chunk carries choices, also the one with the usage',
    },
    (answer) => judgeChunks(answer, judgeChoices),
  ),
];
