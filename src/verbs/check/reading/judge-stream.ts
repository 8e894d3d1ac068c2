import { streamEnd, usageSchema } from '../../../contract/chat.ts';
import { isErrorType } from '../../../traffic/answer/error-forms.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { readErrorLine, readStreamError } from '../../../traffic/answer/read-refusal.ts';
import { SseReader } from '../../../traffic/stream/sse-reader.ts';
import { type Judged, deviation, pass, violation, open } from './check-case.ts';
import type { CheckAnswer } from './check-answer.ts';
import { failureInChat, fieldText, kindText, placesAt, valueAt } from './judge-answer.ts';

/**
 * This file checks, byte by byte, how the events of a stream are framed. The specification is stricter than the HTML
 * standard.
 */

/**
 * Clients that follow the HTML standard tolerate these deviations in framing. Each has a test for the lines that show
 * it.
 */
const tolerated: readonly (readonly [
  name: string,
  what: string,
  shows: (line: string) => boolean,
])[] = [
  ['comments', 'comments', (line) => line.startsWith(':')],
  ['no-space', 'data: without a space', (line) => /^data:\S/.test(line)],
  ['event-names', 'event: lines', (line) => line.startsWith('event')],
  ['other-fields', 'id: or retry: lines', (line) => /^(id|retry)(:|$)/.test(line)],
];

const splitLines = (text: string) => {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  return { lines: text.split(/\r\n|\r|\n/), hasCr: ends.some((end) => end !== '\n') };
};

const isData = (line: string): boolean => line.startsWith('data:');
const dataOf = (line: string): string => line.slice('data:'.length).trimStart();

const isForeign = (line: string): boolean => !/^(:|(data|event|id|retry)(:|$))/.test(line);

const judgeEvents = (lines: readonly string[]): Judged | null => {
  const foreign = lines.findIndex((line) => line !== '' && isForeign(line));
  if (foreign >= 0) return violation(`line ${foreign + 1} is no line of an event stream`);
  let severalLines: Judged | null = null;
  for (const [index, line] of lines.entries()) {
    if (!isData(line) || dataOf(line) === streamEnd) continue;
    const next = lines[index + 1];
    if (next === undefined) return violation(`the event of line ${index + 1} has no end`);
    if (!isData(next)) continue;
    // If the data of two neighbouring lines are whole JSON documents, these lines are two events without a blank line
    // between them.
    if (jsonIn(dataOf(line)) !== undefined)
      return violation(`no blank line follows the event of line ${index + 1}`);
    severalLines = deviation('multi-line', 'an event has several data lines');
  }
  return severalLines;
};

/** Judges whether each event is a line `data: …` followed by a blank line (interface, section 4.1). */
export const judgeFraming = (text: string): Judged => {
  const { lines, hasCr } = splitLines(text.replace(/^\ufeff/, ''));
  const broken = judgeEvents(lines);
  if (broken?.outcome === 'violation') return broken;
  const found = [
    ...(text.startsWith('\ufeff') ? [['byte-order-mark', 'a byte order mark'] as const] : []),
    ...(hasCr ? [['carriage-returns', 'lines end in CR'] as const] : []),
    ...(broken === null ? [] : [[broken.name ?? '', broken.observed] as const]),
    ...tolerated.filter(([, , shows]) => lines.some(shows)),
  ];
  if (found.length === 0) return pass(`${lines.filter(isData).length} lines of data`);
  return deviation(found[0]![0], found.map(([, what]) => what).join(', '));
};

/** Judges the end of a stream, which must be `data: [DONE]` with nothing after it. */
export const judgeEnd = (text: string, isLeftOpen: boolean): Judged => {
  const { lines } = splitLines(text);
  const filled = lines.filter((line) => line !== '' && !line.startsWith(':'));
  const done = filled.findIndex((line) => isData(line) && dataOf(line) === streamEnd);
  if (done < 0) return violation('there is no line data: [DONE]');
  const after = filled.slice(done + 1);
  if (after.length > 0) return violation(`${after.length} lines follow data: [DONE]`);
  if (isLeftOpen)
    return deviation('open-after-done', 'the response stayed open after data: [DONE]');
  const last = filled[done]!;
  return last === `data: ${streamEnd}`
    ? pass(last)
    : deviation('no-space', 'data:[DONE] without a space');
};

interface StreamEvent {
  readonly type: string;
  readonly text: string;
  /** The data of the event as JSON; `undefined` if the data are not JSON. */
  readonly json: unknown;
}

const maxEventBytes = 4 * 1024 * 1024;
/** The maximum number of events that are checked. No answer to these requests has more events. */
const maxEvents = 5000;

interface StreamParts {
  readonly events: readonly StreamEvent[];
  /** The lines that are not fields of an event stream, then the texts that the stream's end left incomplete. */
  readonly stray: readonly string[];
}

/** The maximum number of lines outside events that are kept. An error may have several lines. */
const maxStrayLines = 200;
const maxStrayLength = 8192;

/** Reads a stream by the rules of the HTML standard. The reader leaves out the event that ends the stream. */
const partsIn = (body: Uint8Array): StreamParts => {
  const events: StreamEvent[] = [];
  const stray: string[] = [];
  const reader = new SseReader(
    {
      onEvent: (type, bytes, start, end) => {
        const text = bytes.toString('utf8', start, end);
        if (text.trim() === streamEnd) return reader.stop();
        events.push({ type, text, json: jsonIn(text, maxEventBytes) });
        if (events.length >= maxEvents) reader.stop();
      },
      onComment: () => undefined,
      onStray: (bytes, start, end) => {
        if (stray.length < maxStrayLines)
          stray.push(bytes.toString('utf8', start, Math.min(end, start + maxStrayLength)));
      },
      onTooLong: () => undefined,
    },
    maxEventBytes,
  );
  reader.feed(body);
  return { events, stray: [...stray, ...reader.leftovers()] };
};

export const eventsIn = (body: Uint8Array): readonly StreamEvent[] => partsIn(body).events;

const asWritten = (text: string): string => text;

const known = new WeakMap<CheckAnswer, StreamParts>();

const partsOf = (answer: CheckAnswer): StreamParts => {
  const parts = known.get(answer) ?? partsIn(answer.received.body);
  known.set(answer, parts);
  return parts;
};

export const eventsOf = (answer: CheckAnswer): readonly StreamEvent[] => partsOf(answer).events;

/**
 * Returns why a stream failed although its status is 200: by an event, or by an error outside the events. Returns
 * `null` if the stream did not fail.
 */
export const failureInStream = (answer: CheckAnswer): string | null => {
  const { events, stray } = partsOf(answer);
  const where = ' in mid-stream';
  for (const { type, text, json } of events) {
    const failure = isErrorType(type)
      ? `an error${where}: ${answer.quote(readStreamError(text, asWritten))}`
      : failureInChat(answer, json, where);
    if (failure !== null) return failure;
  }
  const errors = [...stray, stray.join('\n')].map((line) => readErrorLine(line, asWritten));
  const error = errors.find((text) => text !== null);
  return error === undefined ? null : `an error${where}: ${answer.quote(error)}`;
};

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

export const judgeDocuments = (answer: CheckAnswer): Judged => {
  const events = eventsOf(answer);
  const wrong = events.findIndex(({ json }) => !isObject(json));
  return wrong < 0
    ? pass(`${events.length} events`)
    : violation(`the data of event ${wrong + 1} is no JSON object`);
};

/** Judges every JSON chunk. `wrongIn` returns what is wrong with a chunk. */
export const judgeChunks = (
  answer: CheckAnswer,
  wrongIn: (chunk: unknown) => Judged | null,
): Judged => {
  const events = eventsOf(answer);
  const found = events.flatMap(({ json }, index) => {
    const judged = isObject(json) ? wrongIn(json) : null;
    return judged === null
      ? []
      : [{ ...judged, observed: `chunk ${index + 1}: ${judged.observed}` }];
  });
  const gravest = found.find(({ outcome }) => outcome === 'violation') ?? found[0];
  return gravest ?? pass(`${events.length} chunks`);
};

const usageIn = (events: readonly StreamEvent[]): readonly unknown[] =>
  events
    .map(({ json }) => valueAt(json, 'usage'))
    .filter((usage) => usage !== undefined && usage !== null);

/** Returns the usage that an answer reports, streamed or not; `undefined` if the answer reports no usage. */
export const reportedUsage = (answer: CheckAnswer): unknown =>
  answer.contentType === 'text/event-stream'
    ? usageIn(eventsOf(answer)).at(-1)
    : valueAt(answer.json, 'usage');

const contentsOf = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.flatMap(({ json }) => placesAt(json, 'choices.*.delta.content').map(({ value }) => value));

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export const judgeChoices = (chunk: unknown): Judged | null => {
  const choices = valueAt(chunk, 'choices');
  if (!Array.isArray(choices)) {
    return usageIn([{ type: '', text: '', json: chunk }]).length > 0
      ? deviation('usage-without-choices', `choices is ${kindText(choices)} beside the usage`)
      : violation(`choices is ${kindText(choices)}`);
  }
  const wrongDelta = placesAt(chunk, 'choices.*.delta').find(
    ({ value }) => typeof value !== 'object' || value === null,
  );
  return wrongDelta === undefined
    ? null
    : violation(`${wrongDelta.path} is ${kindText(wrongDelta.value)}`);
};

export const judgeChunkIds = (answer: CheckAnswer): Judged => {
  const ids = eventsOf(answer)
    .filter(({ json }) => isObject(json))
    .map(({ json }) => valueAt(json, 'id'));
  const wrongAt = ids.findIndex((id) => typeof id !== 'string' || id === '');
  if (wrongAt >= 0) return violation(`the id of chunk ${wrongAt + 1} is ${kindText(ids[wrongAt])}`);
  const changed = ids.findIndex((id) => id !== ids[0]);
  return changed < 0
    ? pass('the same id on every chunk')
    : deviation('changing-ids', `chunk ${changed + 1} has another id than the first`);
};

export const judgeIncrements = (answer: CheckAnswer): Judged => {
  const contents = contentsOf(eventsOf(answer));
  const odd = contents.find((content) => !isAbsent(content) && typeof content !== 'string');
  if (odd !== undefined) return violation(`delta.content is ${kindText(odd)}`);
  const filled = contents.filter((content) => typeof content === 'string' && content !== '');
  return filled.length > 0
    ? pass(`${filled.length} increments`)
    : deviation('no-content', 'no chunk has delta.content');
};

/** Compares the number of increments in a stream with the usage that the stream reports. */
export const judgeStreamUsage = (answer: CheckAnswer, maxTokens: number): Judged => {
  const events = eventsOf(answer);
  const usage = usageIn(events).at(-1);
  if (usage === undefined) return open('no chunk has the usage');
  const parsed = usageSchema.safeParse(usage);
  if (!parsed.success) return violation('the usage has not the three counts');
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = parsed.data;
  const increments = contentsOf(events).filter((text) => typeof text === 'string' && text !== '');
  if (completion > maxTokens)
    return violation(`${completion} tokens were generated, ${maxTokens} were allowed`);
  if (increments.length > completion) {
    return deviation(
      'more-increments-than-tokens',
      `${increments.length} increments of text, but ${completion} tokens in the usage`,
    );
  }
  if (total !== undefined && total < prompt + completion)
    return violation(`${prompt} + ${completion} tokens, but the total is ${total}`);
  return pass(`${increments.length} increments of text, ${completion} tokens in the usage`);
};

export const judgeStreamFinish = (answer: CheckAnswer): Judged => {
  const reasons = eventsOf(answer)
    .flatMap(({ json }) => placesAt(json, 'choices.*.finish_reason'))
    .map(({ value }) => value)
    .filter((value) => !isAbsent(value) && value !== '');
  const [last] = reasons.slice(-1);
  if (last === undefined) return open('no chunk has finish_reason');
  return ['stop', 'length', 'tool_calls'].includes(last as string)
    ? pass(fieldText(answer, last))
    : deviation('other-finish', `finish_reason is ${fieldText(answer, last)}`);
};
