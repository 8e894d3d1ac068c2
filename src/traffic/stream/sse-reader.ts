import { ByteBuffer } from '../answer/byte-buffer.ts';

const emptyBuffer: Buffer = Buffer.alloc(0);

/**
 * Server-Sent Events out of bytes, as the HTML standard reads them (section 9.2.6, "Interpreting an
 * event stream"). Lines are found in bytes and never decoded here: CR and LF are no part of any
 * longer UTF-8 sequence, so whoever decodes whole data gets what a decoder of the whole stream gets.
 * `id` and `retry` serve reconnecting, which a measurement never does, and are passed over.
 */
export class SseReader {
  readonly #listener: SseListener;
  readonly #maxBytes: number;
  /** The incomplete line at the end of the last read. */
  readonly #tail: ByteBuffer;
  /** The pending event's data, once it cannot be shown in place. */
  readonly #data: ByteBuffer;
  /** The pending event's data while it is one line of the read in hand. */
  #line = emptyBuffer;
  #lineStart = 0;
  #lineEnd = 0;
  #dataLines = 0;
  #type = '';
  #inPlace = false;
  #atStart = true;
  #afterCr = false;
  #stopped = false;

  /** `longest`: the most bytes of one line, and of one event's data. */
  constructor(listener: SseListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
    this.#tail = new ByteBuffer(maxBytes + 1);
    this.#data = new ByteBuffer(maxBytes + 1);
  }

  /** Takes the bytes of one read and tells the listener what they complete. Keeps no reference to them. */
  feed(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A CR ends its line at once; the LF that belongs to it may come with the next read.
    const rest = this.#readLines(bytes, this.#afterCr && bytes[0] === LF ? 1 : 0);
    this.#keepData();
    this.#line = emptyBuffer;
    if (this.#stopped) return;
    this.#afterCr = rest === bytes.length && bytes[rest - 1] === CR;
    if (rest < bytes.length) this.#tail.append(bytes, rest, bytes.length);
    if (this.#tail.length > this.#maxBytes) this.#tooLong('line');
  }

  /** Reads nothing more, not even the rest of the bytes in hand. */
  stop(): void {
    this.#stopped = true;
  }

  /** Whether the stream, if it ends now, ends within an event; the standard drops such an event. */
  get unfinished(): boolean {
    return !this.#stopped && (this.#tail.length > 0 || this.#dataLines > 0 || this.#type !== '');
  }

  /** Takes all complete lines from `start` on; gives where the incomplete one begins. */
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
    if (this.#tail.length === 0) {
      this.#readLine(bytes, start, end);
      return;
    }
    this.#tail.append(bytes, start, end);
    const { buffer, length } = this.#tail;
    // What was gathered stays readable until the next append, and that comes after `keepData`.
    this.#tail.clear();
    this.#readLine(buffer, 0, length);
  }

  #readLine(bytes: Buffer, from: number, end: number): void {
    if (end - from > this.#maxBytes) {
      this.#tooLong('line');
      return;
    }
    const start = this.#atStart && startsWith(bytes, from, end, byteOrderMark) ? from + 3 : from;
    this.#atStart = false;
    if (start === end) {
      this.#dispatch();
    } else if (bytes[start] === COLON) {
      this.#listener.onComment();
    } else if (isField(bytes, start, end, dataField)) {
      this.#readData(bytes, valueOf(bytes, start + dataField.length, end), end);
    } else if (isField(bytes, start, end, eventField)) {
      this.#type = bytes.toString('utf8', valueOf(bytes, start + eventField.length, end), end);
    }
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
    const type = this.#type;
    const isEmpty = this.#dataLines === 0;
    const inPlace = this.#inPlace;
    this.#type = '';
    this.#dataLines = 0;
    this.#inPlace = false;
    if (isEmpty) return;
    if (inPlace) {
      this.#listener.onEvent(type || 'message', this.#line, this.#lineStart, this.#lineEnd);
    } else {
      this.#listener.onEvent(type || 'message', this.#data.buffer, 0, this.#data.length);
    }
  }

  #tooLong(part: 'line' | 'event'): void {
    this.#stopped = true;
    this.#listener.onTooLong(part);
  }
}

export interface SseListener {
  /** One event. Its data are `bytes` from `start` to before `end`, valid during the call only. */
  onEvent(type: string, bytes: Buffer, start: number, end: number): void;
  /** A line that begins with a colon: servers send them to keep a connection alive. */
  onComment(): void;
  /** A line or an event's data passed the cap; nothing more is read. */
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

/** Where the next LF stands from `from` on, or -1. Most often it is the empty line of an event, or a read ends there: neither is worth a call of `indexOf`. */
const nextLf = (bytes: Buffer, from: number): number => {
  if (from === bytes.length) return -1;
  return bytes[from] === LF ? from : bytes.indexOf(LF, from);
};

const startsWith = (bytes: Buffer, start: number, end: number, word: Buffer): boolean => {
  if (end - start < word.length) return false;
  for (let i = 0; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return false;
  return true;
};

/** A field is its name up to the line's first colon, or the whole line. */
const isField = (bytes: Buffer, start: number, end: number, name: Buffer): boolean =>
  startsWith(bytes, start, end, name) &&
  (end - start === name.length || bytes[start + name.length] === COLON);

/** Where a field's value begins: behind the colon and at most one space; at `end` where there is no colon. */
const valueOf = (bytes: Buffer, nameEnd: number, end: number): number => {
  if (nameEnd === end) return end;
  return nameEnd + 1 < end && bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
};
