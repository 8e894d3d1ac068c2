import type { BrokenCause } from '../../model/observation/exchange.ts';
import { isFieldName } from '../../model/observation/header-fields.ts';

/**
 * The reason why a response cannot be read further. `HttpFault` is a class, so that code can separate a fault from
 * the other results of a parser.
 */
export class HttpFault {
  /** The cause of the failure: `protocol` if the server violated HTTP/1.1 (RFC 9112). */
  readonly cause: Extract<BrokenCause, 'protocol' | 'too-large' | 'closed-early'>;
  /** A short message for users, without text from the server. */
  readonly detail: string;

  constructor(cause: HttpFault['cause'], detail: string) {
    this.cause = cause;
    this.detail = detail;
  }
}

/** The maximum size of a head or of a trailer section in bytes. Node's own parser and undici have the same maximum. */
export const maxSectionBytes = 16 * 1024;

const cr = 13;
const lf = 10;
const tab = 9;
const del = 127;

/** The first state within a section. In this state, the parser skips line ends before a head, as other clients do. */
const beforeHead = -1;
const inLine = 0;
const afterCr = 1;
const atLineStart = 2;
/** The state after the CR of the empty line that ends the section. */
const afterLastCr = 3;

/**
 * Matches a complete section. The method `#scan` accepts the same sections, and sections that are split over several
 * reads, but is slower.
 */
const wholeSection = /^(?:[\t\x20-\x7e\x80-\xff]+\r\n)+\r\n$/;
const sectionEnd = Buffer.from('\r\n\r\n');

/**
 * Collects the lines of a head or a trailer section up to an empty line, even if the bytes are split over several
 * reads. The class is strict (RFC 9112, sections 2.2 and 5; RFC 9110, section 5.5): every line must end in CR LF, and
 * the tab is the only allowed control character.
 */
export class HeadSection {
  /** The bytes of the section that have arrived, decoded as Latin-1. The empty line at the end is included. */
  text = '';
  fault: HttpFault | null = null;
  #state: number = beforeHead;
  /** The number of line ends that were skipped before the head. */
  #skipped = 0;

  beginHead(): void {
    this.text = '';
    this.#skipped = 0;
    this.#state = beforeHead;
  }

  /** Prepares for a trailer section. A trailer section starts with a field, or consists only of an empty line. */
  beginTrailers(): void {
    this.text = '';
    this.#skipped = 0;
    this.#state = atLineStart;
  }

  /**
   * Appends bytes from `first` on. Returns the position after the empty line, or −1 if the empty line has not come or
   * `fault` is set.
   */
  append(bytes: Buffer, first: number, end: number): number {
    if (this.#state === beforeHead) {
      // Only the section is decoded, without the body. A text that contains the body would stay in memory as long as
      // any slice of the text.
      const emptyLine = bytes.indexOf(sectionEnd, first);
      const last = emptyLine + sectionEnd.length;
      if (emptyLine >= 0 && last <= Math.min(end, first + maxSectionBytes - this.#skipped)) {
        const text = bytes.toString('latin1', first, last);
        if (wholeSection.test(text)) {
          this.text = text;
          return last;
        }
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

/** How the end of a body is found: by a length, by a last chunk, or by the connection's end (RFC 9112, section 6.3). */
export type BodyFraming =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

export interface ParsedHead {
  readonly status: number;
  /** The headers, with names in lower case. The values of repeated names are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * How the body ends according to the headers alone. Whether there is a body depends also on the status and the
   * method.
   */
  readonly framing: BodyFraming;
  /** Whether the server closes the connection after this response. */
  readonly closes: boolean;
  /** How long the connection can be used while idle, in ms; infinite if the server does not say. */
  readonly keepAliveFor: number;
  /** The maximum number of answers on the connection, from `Keep-Alive: max`; infinite if the server does not say. */
  readonly maxAnswers: number;
}

type Fields = Record<string, string>;

const chunked: BodyFraming = { kind: 'chunked' };
const untilClose: BodyFraming = { kind: 'close' };

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** Returns the value between two positions, without surrounding blanks. */
const valueBetween = (text: string, from: number, end: number): string => {
  let first = from;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
};

/** A field name as it was received, with its colon, and the same name in lower case. */
interface FieldName {
  readonly raw: string;
  readonly lower: string;
}

/**
 * The field names of the previous head, by position. If a server sends the same names in the same order again, they
 * need no parsing.
 */
const previousNames: FieldName[] = [];
const maxPreviousNames = 100;

const nameAt = (text: string, at: number, place: number): FieldName | null => {
  const before = previousNames[place];
  if (before !== undefined && text.startsWith(before.raw, at)) return before;
  const colon = text.indexOf(':', at);
  const name = text.slice(at, Math.max(at, colon));
  // If the line has no colon, the name reaches into a later line, so it contains a line end and is not valid.
  if (!isFieldName(name)) return null;
  const found = { raw: `${name}:`, lower: name.toLowerCase() };
  if (place < maxPreviousNames) previousNames[place] = found;
  return found;
};

/**
 * Parses the fields from `from` to the empty line. A folded line continues the value of the line before (RFC 9112,
 * section 5.2). curl and Go read folded lines in this way.
 */
export const parseFields = (text: string, from: number): Fields | HttpFault => {
  const fields: Fields = {};
  let latest: string | null = null;
  let at = from;
  for (let place = 0; ; place += 1) {
    const end = text.indexOf('\r\n', at);
    if (end === at) return fields;
    const found = nameAt(text, at, place);
    if (found === null) {
      if (latest === null || !isBlank(text.charCodeAt(at)))
        return new HttpFault('protocol', 'a header line has no valid name');
      fields[latest] = `${fields[latest]} ${valueBetween(text, at, end)}`.trim();
      at = end + 2;
      continue;
    }
    const { raw, lower } = found;
    const value = valueBetween(text, at + raw.length, end);
    fields[lower] = Object.hasOwn(fields, lower) ? `${fields[lower]}, ${value}` : value;
    latest = lower;
    at = end + 2;
  }
};

const statusOf = (text: string): number | null =>
  /^HTTP\/1\.[01] [1-9]\d\d(?: |\r\n)/.test(text) ? Number(text.slice(9, 12)) : null;

const lengthOf = (value: string): BodyFraming | HttpFault =>
  /^\d{1,15}$/.test(value)
    ? { kind: 'length', bytes: Number(value) }
    : new HttpFault('protocol', 'Content-Length is not one number');

const framingOf = (fields: Fields): BodyFraming | HttpFault => {
  const coding = fields['transfer-encoding'];
  const length = fields['content-length'];
  if (coding === undefined) return length === undefined ? untilClose : lengthOf(length);
  if (length !== undefined)
    return new HttpFault('protocol', 'the answer has both Content-Length and Transfer-Encoding');
  return /(?:^|,)[ \t]*chunked$/i.test(coding) ? chunked : untilClose;
};

const listIncludes = (list: string, word: string): boolean =>
  list.split(',').some((item) => item.trim().toLowerCase() === word);

/**
 * A connection is no longer used from this many ms before the close that the server announced, since the server's timer
 * started before the client's. undici uses the same margin.
 */
const keepAliveMargin = 2000;

/**
 * Returns how long an idle connection can be used, in ms: the time in `Keep-Alive: timeout` minus a margin; infinity
 * without a timeout.
 */
export const keepAliveFor = (hint: string): number => {
  const seconds = hint === '' ? undefined : /timeout=(\d+)/.exec(hint)?.[1];
  return seconds === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Number(seconds) * 1000 - keepAliveMargin);
};

/**
 * Returns the `max` of a `Keep-Alive` header, the maximum number of answers on a connection; infinity without `max`.
 * Callers use only the header of the first answer, since in later answers some servers count down and others repeat the
 * maximum.
 */
export const maxAnswersOf = (hint: string): number => {
  const most = hint === '' ? undefined : /max=(\d+)/.exec(hint)?.[1];
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
};

const closesAfter = (text: string, connection: string): boolean => {
  if (connection !== '' && listIncludes(connection, 'close')) return true;
  return !text.startsWith('HTTP/1.1') && !listIncludes(connection, 'keep-alive');
};

/** Parses a head from its status line to its empty line. */
export const parseHead = (text: string): ParsedHead | HttpFault => {
  const status = statusOf(text);
  if (status === null) return new HttpFault('protocol', 'the answer does not start like HTTP/1.1');
  const headers = parseFields(text, text.indexOf('\r\n') + 2);
  if (headers instanceof HttpFault) return headers;
  const framing = framingOf(headers);
  if (framing instanceof HttpFault) return framing;
  const closes = closesAfter(text, headers['connection'] ?? '');
  const hint = headers['keep-alive'] ?? '';
  return {
    status,
    headers,
    framing,
    closes,
    keepAliveFor: keepAliveFor(hint),
    maxAnswers: maxAnswersOf(hint),
  };
};

const httpPrefix = 'HTTP/1.';

/**
 * Returns whether a text can be the beginning of an HTTP/1.x response. With this check, an answer in another protocol
 * is rejected at once.
 */
export const mayBeHead = (text: string): boolean =>
  text.length < httpPrefix.length ? httpPrefix.startsWith(text) : text.startsWith(httpPrefix);
