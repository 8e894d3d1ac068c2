import { ByteBuffer } from '../answer/byte-buffer.ts';

const emptyBuffer: Buffer = Buffer.alloc(0);

/**
 * Reads Server-Sent Events from bytes, as the HTML standard defines (section 9.2.6, "Interpreting an event stream").
 * This class finds the lines in the bytes before decoding. The resulting text is the same as after decoding the whole
 * stream, because the bytes of CR and LF are never part of another character in UTF-8. The fields `id` and `retry` are
 * ignored: both are for reconnecting, and a measurement never reconnects.
 */
export class SseReader {
  readonly #listener: SseListener;
  readonly #maxBytes: number;
  /** The incomplete line at the end of the last read. */
  readonly #tail: ByteBuffer;
  /** The data of the current event, if it has several lines or came in several reads. */
  readonly #data: ByteBuffer;
  /** The data of the current event, if it is one line of the current read. */
  #line = emptyBuffer;
  #lineStart = 0;
  #lineEnd = 0;
  #dataLines = 0;
  #type = '';
  /** The last comment after the `event` line of the current event. It is reported only if the event has no data. */
  #comment = '';
  #inPlace = false;
  #atStart = true;
  #afterCr = false;
  #stopped = false;

  /** Creates a reader. A line, or the data of an event, of more than `maxBytes` bytes is reported as too long. */
  constructor(listener: SseListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
    this.#tail = new ByteBuffer(maxBytes + 1);
    this.#data = new ByteBuffer(maxBytes + 1);
  }

  /**
   * Reads the bytes of one read, and reports the completed lines and events to the listener. The reader copies the
   * bytes of incomplete lines and events.
   */
  feed(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A CR ends its line at once. If the line end is CR LF, the LF may come with the next read and is then skipped.
    const rest = this.#readLines(bytes, this.#afterCr && bytes[0] === LF ? 1 : 0);
    this.#keepData();
    this.#line = emptyBuffer;
    if (this.#stopped) return;
    this.#afterCr = rest === bytes.length && bytes[rest - 1] === CR;
    if (rest < bytes.length) this.#tail.append(bytes, rest, bytes.length);
    if (this.#tail.length > this.#maxBytes) this.#tooLong('line');
  }

  /** Stops reading, even within the current bytes. */
  stop(): void {
    this.#stopped = true;
  }

  /** Whether an event would be incomplete if the stream ended now. The standard ignores an incomplete event. */
  get unfinished(): boolean {
    return !this.#stopped && (this.#tail.length > 0 || this.#dataLines > 0 || this.#type !== '');
  }

  /** Reads all complete lines from `start` on. Returns the start of the incomplete line after these lines. */
  #readLines(bytes: Buffer, start: number): number {
    let from = start;
    let lf = bytes.indexOf(LF, from);
    let cr = bytes.indexOf(CR, from);
    while (!this.#stopped) {
      const isCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = isCr ? cr : lf;
      if (end === -1) break;
      this.#endLine(bytes, from, end);
      from = isCr && bytes[end + 1] === LF ? end + 2 : end + 1;
      if (isCr) cr = bytes.indexOf(CR, from);
      if (lf !== -1 && lf < from) lf = nextLf(bytes, from);
    }
    return from;
  }

  #endLine(bytes: Buffer, start: number, end: number): void {
    if (this.#tail.length === 0) return this.#readLine(bytes, start, end);
    this.#tail.append(bytes, start, end);
    const { buffer, length } = this.#tail;
    // The bytes in `buffer` stay valid until the next append to `#tail`. Before that append, `#keepData` copies the
    // bytes that are still needed.
    this.#tail.clear();
    this.#readLine(buffer, 0, length);
  }

  #readLine(bytes: Buffer, from: number, end: number): void {
    if (end - from > this.#maxBytes) return this.#tooLong('line');
    const start = this.#atStart && startsWith(bytes, from, end, byteOrderMark) ? from + 3 : from;
    this.#atStart = false;
    if (start === end) {
      this.#dispatch();
    } else if (bytes[start] === COLON) {
      if (this.#type !== '') this.#comment = bytes.toString('utf8', start + 1, end).trim();
      this.#listener.onComment();
    } else if (isField(bytes, start, end, dataField)) {
      this.#readData(bytes, valueOf(bytes, start + dataField.length, end), end);
    } else if (isField(bytes, start, end, eventField)) {
      this.#type = bytes.toString('utf8', valueOf(bytes, start + eventField.length, end), end);
    } else if (!ignoredFields.some((field) => isField(bytes, start, end, field))) {
      this.#listener.onStray?.(bytes, start, end);
    }
  }

  /** Returns the incomplete texts of a stream that has ended: the data of the last event, and the last line. */
  leftovers(): readonly string[] {
    if (this.#stopped) return [];
    const line = this.#tail.bytes().toString('utf8');
    const data =
      this.#dataLines === 0 ? '' : this.#data.buffer.toString('utf8', 0, this.#data.length);
    const value = /^data: ?(.*)$/s.exec(line)?.[1] ?? line;
    return [data, value].filter((text) => text !== '');
  }

  #readData(bytes: Buffer, start: number, end: number): void {
    this.#dataLines += 1;
    if (this.#dataLines === 1) {
      this.#line = bytes;
      this.#lineStart = start;
      this.#lineEnd = end;
      this.#inPlace = true;
      return;
    }
    this.#keepData();
    this.#data.append(newLine);
    this.#data.append(bytes, start, end);
    if (this.#data.length > this.#maxBytes) this.#tooLong('event');
  }

  #keepData(): void {
    if (!this.#inPlace) return;
    this.#data.clear();
    this.#data.append(this.#line, this.#lineStart, this.#lineEnd);
    this.#inPlace = false;
  }

  #dispatch(): void {
    const type = this.#type || 'message';
    const isEmpty = this.#dataLines === 0;
    const inPlace = this.#inPlace;
    this.#type = '';
    this.#dataLines = 0;
    this.#inPlace = false;
    const comment = this.#comment;
    this.#comment = '';
    if (isEmpty) {
      if (type !== 'message') this.#listener.onBare?.(type, comment);
      return;
    }
    if (inPlace) this.#listener.onEvent(type, this.#line, this.#lineStart, this.#lineEnd);
    else this.#listener.onEvent(type, this.#data.buffer, 0, this.#data.length);
  }

  #tooLong(part: 'line' | 'event'): void {
    this.#stopped = true;
    this.#listener.onTooLong(part);
  }
}

export interface SseListener {
  /**
   * Receives the data of one event: the part of `bytes` from `start` to before `end`. The bytes are valid only during
   * the call.
   */
  onEvent(type: string, bytes: Buffer, start: number, end: number): void;
  /** Called for a line that starts with a colon. Servers send such lines to keep a connection alive. */
  onComment(): void;
  /**
   * Receives a line that is not a field of the standard: the part of `bytes` from `start` to before `end`. The bytes
   * are valid only during the call.
   */
  readonly onStray?: (bytes: Buffer, start: number, end: number) => void;
  /**
   * Receives an event that has a type but no data, with the event's comment. The standard ignores an event without
   * data.
   */
  readonly onBare?: (type: string, comment: string) => void;
  /** Called if a line, or the data of an event, exceeds the maximum size. Reading then stops. */
  onTooLong(part: 'line' | 'event'): void;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const newLine = Buffer.from('\n');
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const dataField = Buffer.from('data');
const eventField = Buffer.from('event');
const ignoredFields = [Buffer.from('id'), Buffer.from('retry')];

/**
 * Returns the position of the next LF from `from` on; −1 if no LF follows. Usually `from` is at the empty line after an
 * event or at the end of the read. In both cases this function is faster than `indexOf`.
 */
const nextLf = (bytes: Buffer, from: number): number => {
  if (from === bytes.length) return -1;
  return bytes[from] === LF ? from : bytes.indexOf(LF, from);
};

const startsWith = (bytes: Buffer, start: number, end: number, word: Buffer): boolean => {
  if (end - start < word.length) return false;
  for (let i = 0; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return false;
  return true;
};

/**
 * Returns whether a line is a field with this name. The field's name ends at the first colon of the line, or at the end
 * of the line.
 */
const isField = (bytes: Buffer, start: number, end: number, name: Buffer): boolean =>
  startsWith(bytes, start, end, name) &&
  (end - start === name.length || bytes[start + name.length] === COLON);

/**
 * Returns the start of a field's value, which is after the colon and at most one space. Without a colon, returns `end`.
 */
const valueOf = (bytes: Buffer, nameEnd: number, end: number): number => {
  if (nameEnd === end) return end;
  return nameEnd + 1 < end && bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
};
