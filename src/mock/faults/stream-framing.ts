import { gzipSync } from 'node:zlib';
import {
  changedEvents,
  isEventStream,
  type MockFault,
  splitEvents,
  stream,
  type StreamFault,
  whole,
  writeNonEmpty,
} from './fault.ts';

/** The same events in another framing: a correct reader of Server-Sent Events sees no difference. */

const byteOrderMark = '\uFEFF';
const sizes = [1, 2, 3, 5, 7, 11];
const fourByteCharacter = '\u{1F30A}';

const oddChunks: StreamFault = (inner) => {
  let turn = 0;
  return {
    write: (events) => {
      const text = String(events).replaceAll(
        /("delta":\{"content":"(?:[^"\\]|\\.)*)/g,
        `$1${fourByteCharacter}`,
      );
      const bytes = Buffer.from(text);
      for (let from = 0; from < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        writeNonEmpty(inner, bytes.subarray(from, from + size));
        from += size;
      }
    },
    end: () => inner.end(),
  };
};

const gzipStream: StreamFault = (inner) => ({
  write: (events) => {
    for (const event of splitEvents(String(events))) writeNonEmpty(inner, gzipSync(event));
  },
  end: () => inner.end(),
});

const gzip = { 'content-encoding': 'gzip' };

export const framingFaults = {
  /** Comments between and within events. */
  comments: changedEvents((event) => `: ping\n\n: PROCESSING\n${event}: ping\n\n`),
  /** No space after `data:`. */
  'no-space': changedEvents((event) => event.replace(/^data: /, 'data:')),
  crlf: changedEvents((event) => event.replaceAll('\n', '\r\n')),
  cr: changedEvents((event) => event.replaceAll('\n', '\r')),
  bom: changedEvents((event, index) => (index === 0 ? byteOrderMark + event : event)),
  /** Other fields, and data over two lines: JSON may have a line break after its first brace. */
  'multi-line': changedEvents(
    (event, index) =>
      `event: message\nid: ${index}\nretry: 3000\n${event.replace(/^data: \{/, 'data: {\ndata: ')}`,
  ),
  /** Adds a character of four bytes to each token and splits chunks anywhere, within characters too. */
  'odd-chunks': stream(oddChunks),
  /** gzip although not requested. Each event is its own gzip member; together they are one gzip file. */
  'gzip-stream': stream(gzipStream, { head: gzip }),
  /** The same for an answer that is not streamed, in one or many pieces. */
  'gzip-body': whole(({ exchange }) => {
    exchange.encode = (bytes) => gzipSync(bytes);
    exchange.rewriteHeaders = (headers) =>
      isEventStream(headers) ? headers : { ...headers, ...gzip };
  }),
} as const satisfies Record<string, MockFault>;
