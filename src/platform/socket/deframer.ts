import { Chunks, type ContentSink } from './chunks.ts';
import { Fault } from './fault.ts';
import { HeadSection } from './head-section.ts';
import { mayBeHead, parseFields, parseHead, type ResponseHead } from './response-head.ts';

/** Hears what a response consists of. */
export interface ResponseSink extends ContentSink {
  /** The final head; interim ones are skipped. */
  onHead(status: number, headers: Readonly<Record<string, string>>): void;
}

/** What a read led to: the response goes on, is complete, or cannot be read on. */
export type Reading = 'more' | 'complete' | Fault;

/** Stands in where no response is expected. */
const nobody: ResponseSink = { onHead: () => undefined, onContent: () => undefined };

/** A server that says more than this many times that it will answer never will. */
const mostInterim = 100;

type Stage = 'head' | 'length' | 'chunks' | 'trailers' | 'close' | 'over';

/**
 * Reads one response after another off a connection: bytes in, events out, however the bytes are
 * split over reads. Knows no sockets and no time. Framing by Content-Length, by chunks with extensions
 * and trailers, or by the connection's close (RFC 9112, sections 6 and 7); strict, since a generous
 * reading of a broken answer would measure something that other clients do not see.
 */
export class Deframer {
  /** For how many milliseconds after a complete response a further request may follow it on this connection; 0 for never. */
  reusableFor = 0;
  /** Whether a byte of the response has come. */
  heard = false;
  readonly #section = new HeadSection();
  readonly #chunks = new Chunks();
  #sink: ResponseSink = nobody;
  #stage: Stage = 'over';
  #interim = 0;
  /** What is left of a body whose length was told. */
  #left = 0;

  /** Begins to await the response to a GET or a POST; one to HEAD would have another framing. */
  expect(sink: ResponseSink): void {
    this.#sink = sink;
    this.#stage = 'head';
    this.#interim = 0;
    this.#section.beginHead();
    this.reusableFor = 0;
    this.heard = false;
  }

  /** Takes the first `end` bytes of a read. After anything but `more` a new response must be expected first. */
  read(bytes: Buffer, end = bytes.length): Reading {
    if (end > 0) this.heard = true;
    let at = 0;
    while (at < end) {
      const next = this.#step(bytes, at, end);
      if (next instanceof Fault) return this.#over(next);
      at = next;
      if (this.#stage === 'over') {
        // What follows answers no request: whatever it is, the connection cannot be trusted.
        if (at < end) this.reusableFor = 0;
        return this.#over('complete');
      }
    }
    return 'more';
  }

  /** The server ended the connection. */
  closed(): Reading {
    if (this.#stage === 'close') return this.#over('complete');
    const what = this.heard ? 'in mid-answer' : 'without an answer';
    return this.#over(new Fault('closed-early', `the server closed the connection ${what}`));
  }

  #over(reading: Reading): Reading {
    this.#stage = 'over';
    this.#sink = nobody;
    return reading;
  }

  /** Takes what it can from `at` on and gives the place after it. */
  #step(bytes: Buffer, at: number, end: number): number | Fault {
    switch (this.#stage) {
      case 'head':
        return this.#head(bytes, at, end);
      case 'length': {
        const till = Math.min(end, at + this.#left);
        this.#left -= till - at;
        if (this.#left === 0) this.#stage = 'over';
        this.#sink.onContent(bytes, at, till);
        return till;
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

  #head(bytes: Buffer, at: number, end: number): number | Fault {
    const after = this.#section.take(bytes, at, end);
    if (after < 0) {
      if (this.#section.fault !== null) return this.#section.fault;
      return mayBeHead(this.#section.text)
        ? end
        : new Fault('protocol', 'the answer does not begin as HTTP/1.1 does');
    }
    const head = parseHead(this.#section.text);
    if (head instanceof Fault) return head;
    this.#section.beginHead();
    if (head.status >= 200) {
      this.#begin(head);
      return after;
    }
    return this.#interimFault(head) ?? after;
  }

  #interimFault({ status, closes }: ResponseHead): Fault | null {
    this.#interim += 1;
    if (status === 101) return new Fault('protocol', 'the server changes to another protocol');
    if (closes) return new Fault('protocol', 'an interim answer says that the connection ends');
    return this.#interim > mostInterim
      ? new Fault('protocol', `the server sent more than ${mostInterim} interim answers`)
      : null;
  }

  #begin({ status, headers, framing, closes, keptFor }: ResponseHead): void {
    this.reusableFor = closes ? 0 : keptFor;
    const promised = framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY;
    if (status === 204 || status === 304) {
      this.#stage = 'over';
      // A promised body may come all the same, and must not be taken for the next answer.
      if (framing.kind !== 'close' && promised > 0) this.reusableFor = 0;
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

  #chunk(bytes: Buffer, at: number, end: number): number | Fault {
    const after = this.#chunks.take(bytes, at, end, this.#sink);
    if (this.#chunks.fault !== null) return this.#chunks.fault;
    if (this.#chunks.last) {
      this.#stage = 'trailers';
      this.#section.beginTrailers();
    }
    return after;
  }

  #trailers(bytes: Buffer, at: number, end: number): number | Fault {
    const after = this.#section.take(bytes, at, end);
    if (after < 0) return this.#section.fault ?? end;
    const trailers = parseFields(this.#section.text, 0);
    if (trailers instanceof Fault) return trailers;
    this.#stage = 'over';
    return after;
  }
}
