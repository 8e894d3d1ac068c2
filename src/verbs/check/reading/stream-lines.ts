import { streamEnd } from '../../../contract/chat.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { SseReader } from '../../../traffic/stream/sse-reader.ts';
import { type Judged, deviation, pass, violation } from './check-case.ts';

/** The framing of a stream, byte by byte: what the specification says of it is stricter than the HTML standard. */

/** Deviations of the framing that readers of the HTML standard cope with, by the lines that show them. */
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

const isBlank = (line: string | undefined): boolean => line === undefined || line === '';
const isData = (line: string): boolean => line.startsWith('data:');
const dataOf = (line: string): string => line.slice('data:'.length).trimStart();

/** Lines that are no part of any event stream. */
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
    // Two whole documents are two events that run into each other.
    if (jsonIn(dataOf(line)) !== undefined)
      return violation(`no blank line follows the event of line ${index + 1}`);
    severalLines = deviation('multi-line', 'an event has several data lines');
  }
  return severalLines;
};

/** Judges that each event is a line `data: …` followed by a blank line (interface 4.1). */
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

/** Judges the last line of a stream: `data: [DONE]`, and nothing after it. */
export const judgeEnd = (text: string, isLeftOpen: boolean): Judged => {
  const { lines } = splitLines(text);
  const filled = lines.filter((line) => !isBlank(line) && !line.startsWith(':'));
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

export interface StreamEvent {
  readonly type: string;
  readonly text: string;
  /** undefined if it is not JSON. */
  readonly json: unknown;
}

const maxEventBytes = 4 * 1024 * 1024;
/** More events than an answer of the suite can have are not looked at. */
const maxEvents = 5000;

/** The events of a stream as the HTML standard reads them, without the one that ends it. */
export const eventsIn = (body: Uint8Array): readonly StreamEvent[] => {
  const events: StreamEvent[] = [];
  const reader = new SseReader(
    {
      onEvent: (type, bytes, start, end) => {
        const text = bytes.toString('utf8', start, end);
        if (text.trim() === streamEnd) return reader.stop();
        events.push({ type, text, json: jsonIn(text, maxEventBytes) });
        if (events.length >= maxEvents) reader.stop();
      },
      onComment: () => undefined,
      onTooLong: () => undefined,
    },
    maxEventBytes,
  );
  reader.feed(body);
  return events;
};
