import { ChunkedDecoder, type ContentSink } from './chunked-decoder.ts';
import {
  HeadSection,
  HttpFault,
  type ParsedHead,
  mayBeHead,
  parseFields,
  parseHead,
} from './response-head.ts';

export interface ResponseSink extends ContentSink {
  /** Receives the status and the headers of the final head. Interim responses (1xx) are skipped. */
  onHead(status: number, headers: Readonly<Record<string, string>>): void;
}

/** The status after a read: the response continues (`more`), is complete, or cannot be read further. */
export type ParseStatus = 'more' | 'complete' | HttpFault;

/** The sink that is used while no response is expected. */
const ignoringSink: ResponseSink = { onHead: () => undefined, onContent: () => undefined };

/** The maximum number of interim responses (1xx). A server that sends more interim responses counts as broken. */
const maxInterimResponses = 100;

type ParseStage = 'head' | 'length' | 'chunks' | 'trailers' | 'close' | 'over';

/**
 * Parses one response after another from a connection, even if the bytes of a response are split over several reads.
 * The parser uses no sockets and no clock. The end of a body follows from Content-Length, from chunks (with extensions
 * and trailers), or from the close of the connection (RFC 9112, sections 6 and 7). The parser is strict: other clients
 * refuse a broken answer, so the times of a broken answer would mean nothing.
 */
export class ResponseParser {
  /**
   * How long the connection can be idle after a complete response and still be reused, in ms; 0 if the connection
   * cannot be reused.
   */
  reusableFor = 0;
  /** Whether a byte of the response was received. */
  hasReceived = false;
  isChunked = false;
  readonly #section = new HeadSection();
  readonly #chunks = new ChunkedDecoder();
  #sink: ResponseSink = ignoringSink;
  #stage: ParseStage = 'over';
  #interim = 0;
  /** The number of answers on the connection so far. `#maxAnswers` is the maximum that the first answer announced. */
  #answers = 0;
  #maxAnswers = Number.POSITIVE_INFINITY;
  /** The number of bytes that are left of a body with a known length. */
  #left = 0;

  /** Prepares for the response to a GET or POST. The framing of a response to HEAD would differ. */
  expectResponse(sink: ResponseSink): void {
    this.#sink = sink;
    this.#stage = 'head';
    this.#interim = 0;
    this.#section.beginHead();
    this.reusableFor = 0;
    this.hasReceived = false;
  }

  /**
   * Parses the bytes of a read from `begin` to `end`, and may change these bytes. If the previous status was not
   * `more`, the caller must call `expectResponse` first.
   */
  read(bytes: Buffer, end = bytes.length, begin = 0): ParseStatus {
    if (end > begin) this.hasReceived = true;
    let at = begin;
    while (at < end) {
      const next = this.#step(bytes, at, end);
      if (next instanceof HttpFault) return this.#finish(next);
      at = next;
      if (this.#stage === 'over') {
        // Bytes after a complete response belong to no request, so the connection is not used again.
        if (at < end) this.reusableFor = 0;
        return this.#finish('complete');
      }
    }
    return 'more';
  }

  closed(): ParseStatus {
    if (this.#stage === 'close') return this.#finish('complete');
    const what = this.hasReceived ? 'before the answer was complete' : 'without an answer';
    return this.#finish(new HttpFault('closed-early', `the server closed the connection ${what}`));
  }

  #finish(parseStatus: ParseStatus): ParseStatus {
    this.#stage = 'over';
    this.#sink = ignoringSink;
    return parseStatus;
  }

  /** Parses as much as possible from `at` on; returns the position after the parsed bytes. */
  #step(bytes: Buffer, at: number, end: number): number | HttpFault {
    switch (this.#stage) {
      case 'head':
        return this.#head(bytes, at, end);
      case 'length': {
        const to = Math.min(end, at + this.#left);
        this.#left -= to - at;
        if (this.#left === 0) this.#stage = 'over';
        this.#sink.onContent(bytes, at, to);
        return to;
      }
      case 'chunks':
        return this.#chunk(bytes, at, end);
      case 'trailers':
        return this.#trailers(bytes, at, end);
      case 'close':
        this.#sink.onContent(bytes, at, end);
        return end;
      case 'over':
        throw new Error('a response was read on after its end');
    }
  }

  #head(bytes: Buffer, at: number, end: number): number | HttpFault {
    const after = this.#section.append(bytes, at, end);
    if (after < 0) {
      const { fault, text } = this.#section;
      if (fault?.cause === 'protocol') return fault;
      return mayBeHead(text)
        ? (fault ?? end)
        : new HttpFault('protocol', 'the answer does not start like HTTP/1.1');
    }
    const head = parseHead(this.#section.text);
    if (head instanceof HttpFault) return head;
    this.#section.beginHead();
    if (head.status >= 200) {
      this.#begin(head);
      return after;
    }
    return this.#interimFault(head) ?? after;
  }

  #interimFault({ status, closes }: ParsedHead): HttpFault | null {
    this.#interim += 1;
    if (status === 101) return new HttpFault('protocol', 'the server switched to another protocol');
    if (closes)
      return new HttpFault('protocol', 'an interim answer announces the end of the connection');
    return this.#interim > maxInterimResponses
      ? new HttpFault(
          'protocol',
          `the server sent more than ${maxInterimResponses} interim answers`,
        )
      : null;
  }

  #begin({ status, headers, framing, closes, keepAliveFor, maxAnswers }: ParsedHead): void {
    this.#answers += 1;
    this.isChunked = framing.kind === 'chunked';
    if (this.#answers === 1) this.#maxAnswers = maxAnswers;
    const isLast = closes || this.#answers >= this.#maxAnswers || maxAnswers === 0;
    this.reusableFor = isLast ? 0 : keepAliveFor;
    const declaredLength = framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY;
    if (status === 204 || status === 304) {
      this.#stage = 'over';
      // A body of the declared length may still come. Such a body would look like the next answer, so the connection is
      // not used again.
      if (framing.kind !== 'close' && declaredLength > 0) this.reusableFor = 0;
    } else if (framing.kind === 'chunked') {
      this.#stage = 'chunks';
      this.#chunks.begin();
    } else if (framing.kind === 'close') {
      this.#stage = 'close';
      this.reusableFor = 0;
    } else {
      this.#left = framing.bytes;
      this.#stage = this.#left === 0 ? 'over' : 'length';
    }
    this.#sink.onHead(status, headers);
  }

  #chunk(bytes: Buffer, at: number, end: number): number | HttpFault {
    const after = this.#chunks.decode(bytes, at, end, this.#sink);
    if (this.#chunks.fault !== null) return this.#chunks.fault;
    if (this.#chunks.hasLastChunk) {
      this.#stage = 'trailers';
      this.#section.beginTrailers();
    }
    return after;
  }

  #trailers(bytes: Buffer, at: number, end: number): number | HttpFault {
    const after = this.#section.append(bytes, at, end);
    if (after < 0) return this.#section.fault ?? end;
    const trailers = parseFields(this.#section.text, 0);
    if (trailers instanceof HttpFault) return trailers;
    this.#stage = 'over';
    return after;
  }
}
