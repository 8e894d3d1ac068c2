import type { BrokenCause } from '../../model/observation/exchange.ts';

type HttpFaultCause = Extract<BrokenCause, 'protocol' | 'too-large' | 'closed-early'>;

/** Why a response cannot be read further: a value; a class only to distinguish it from a parser's other results. */
export class HttpFault {
  /** `protocol` if the server violated HTTP/1.1 (RFC 9112). */
  readonly cause: HttpFaultCause;
  /** A short message for users, without text of the server. */
  readonly detail: string;

  constructor(cause: HttpFaultCause, detail: string) {
    this.cause = cause;
    this.detail = detail;
  }
}

/** The most bytes of a head or of a trailer section, as in Node's own parser and undici. */
export const maxSectionBytes = 16 * 1024;

const cr = 13;
const lf = 10;
const tab = 9;
const del = 127;

/** The states within a section. Line ends before a head are skipped, as in other clients. */
const beforeHead = -1;
const inLine = 0;
const afterCr = 1;
const atLineStart = 2;
/** After the CR of the empty line that ends the section. */
const afterLastCr = 3;

/** A complete section, as the scan below accepts it; most come in one read, and this is faster. */
const wholeSection = /(?:[\t\x20-\x7e\x80-\xff]+\r\n)+\r\n/y;

/**
 * Collects the lines of a head or trailer section up to an empty line, however its bytes are
 * split over reads. Strict (RFC 9112, sections 2.2 and 5; RFC 9110, section 5.5): every line ends in
 * CR LF, and no control character except the tab is allowed.
 */
export class HeadSection {
  /** All bytes so far as Latin-1, the empty line at the end included. */
  text = '';
  fault: HttpFault | null = null;
  #state: number = beforeHead;
  /** Line ends before the head. */
  #skipped = 0;

  beginHead(): void {
    this.text = '';
    this.#skipped = 0;
    this.#state = beforeHead;
  }

  /** A trailer section starts with a field or with the empty line that ends it. */
  beginTrailers(): void {
    this.text = '';
    this.#skipped = 0;
    this.#state = atLineStart;
  }

  /** Appends bytes from `first` on; returns the position after the empty line, or −1 if there is none yet or `fault` is set. */
  append(bytes: Buffer, first: number, end: number): number {
    if (this.#state === beforeHead) {
      const text = bytes.toString('latin1', first, Math.min(end, first + maxSectionBytes));
      wholeSection.lastIndex = 0;
      if (wholeSection.test(text)) {
        this.text = text.slice(0, wholeSection.lastIndex);
        return first + wholeSection.lastIndex;
      }
    }
    const from = this.#state === beforeHead ? this.#skip(bytes, first, end) : first;
    this.#skipped += from - first;
    const after = this.#scan(bytes, from, end);
    if (this.fault !== null) return -1;
    const to = after < 0 ? end : after;
    const room = maxSectionBytes - this.text.length - this.#skipped;
    this.text += bytes.toString('latin1', from, Math.min(to, from + Math.max(0, room)));
    if (to - from <= room) return after;
    const detail = `the head or the trailers are longer than ${maxSectionBytes} bytes`;
    this.fault = new HttpFault('too-large', detail);
    return -1;
  }

  #skip(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && (bytes[at] === cr || bytes[at] === lf)) at += 1;
    return at;
  }

  #scan(bytes: Buffer, from: number, end: number): number {
    let state = this.#state;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at]!;
      if (state === afterCr || state === afterLastCr) {
        if (byte !== lf) return this.#refuse('a CR without LF in the head');
        if (state === afterLastCr) return at + 1;
        state = atLineStart;
      } else if (byte === cr) {
        state = state === atLineStart ? afterLastCr : afterCr;
      } else if ((byte < 32 && byte !== tab) || byte === del) {
        return this.#refuse(
          byte === lf ? 'an LF without CR in the head' : 'the head contains a control character',
        );
      } else {
        state = inLine;
      }
    }
    this.#state = state;
    return -1;
  }

  #refuse(detail: string): -1 {
    this.fault = new HttpFault('protocol', detail);
    return -1;
  }
}
