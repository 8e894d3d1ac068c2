import { gzipSync } from 'node:zlib';
import { changeEvents, splitEvents, isEventStream, writeNonEmpty } from './stream-events.ts';
import type { FaultContext, StreamFault } from './fault.ts';

/** The same events in another framing: a correct reader of Server-Sent Events sees no difference. */

const byteOrderMark = '\uFEFF';

export const comments = changeEvents((event) => `: ping\n\n: PROCESSING\n${event}: ping\n\n`);
export const noSpace = changeEvents((event) => event.replace(/^data: /, 'data:'));
export const crlf = changeEvents((event) => event.replaceAll('\n', '\r\n'));
export const cr = changeEvents((event) => event.replaceAll('\n', '\r'));
export const bom = changeEvents((event, index) => (index === 0 ? byteOrderMark + event : event));

/** Other fields, and data over two lines: JSON may have a line break after its first brace. */
export const multiLine = changeEvents(
  (event, index) =>
    `event: message\nid: ${index}\nretry: 3000\n${event.replace(/^data: \{/, 'data: {\ndata: ')}`,
);

const sizes = [1, 2, 3, 5, 7, 11];
const fourByteCharacter = '\u{1F30A}';

/** Adds a character of four bytes to each token and splits chunks anywhere, within characters too. */
export const oddChunks: StreamFault = (stream) => {
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
        writeNonEmpty(stream, bytes.subarray(from, from + size));
        from += size;
      }
    },
    end: () => stream.end(),
  };
};

/** Each event is its own gzip member; together they are one gzip file. */
export const gzipStream: StreamFault = (stream) => ({
  write: (events) => {
    for (const event of splitEvents(String(events))) writeNonEmpty(stream, gzipSync(event));
  },
  end: () => stream.end(),
});

/** The same for an answer that is not streamed, in one or many pieces. */
export const gzipBody = ({ exchange }: FaultContext): void => {
  exchange.encodeBody((bytes) => gzipSync(bytes));
  exchange.rewriteHeaders((headers) =>
    isEventStream(headers) ? headers : { ...headers, 'content-encoding': 'gzip' },
  );
};
