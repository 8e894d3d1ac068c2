import { isFieldName } from '../../model/observation/header-fields.ts';
import { HttpFault } from './head-section.ts';

/** How a body ends (RFC 9112, section 6.3). */
export type BodyFraming =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

export interface ParsedHead {
  readonly status: number;
  /** Names in lower case; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the body ends, by the headers alone; whether there is one depends on status and method too. */
  readonly framing: BodyFraming;
  /** Whether the server closes the connection after this. */
  readonly closes: boolean;
  /** How long the server keeps the connection, in ms; infinite if it does not say. */
  readonly keepAliveFor: number;
  /** How many answers come on the connection, by `Keep-Alive: max`; infinite if it does not say. */
  readonly maxAnswers: number;
}

type Fields = Record<string, string>;

const chunked: BodyFraming = { kind: 'chunked' };
const untilClose: BodyFraming = { kind: 'close' };

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** A value without surrounding blanks. */
const valueBetween = (text: string, from: number, end: number): string => {
  let first = from;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
};

/** A name as received, with its colon, and in lower case. */
interface FieldName {
  readonly raw: string;
  readonly lower: string;
}

/** The names of the previous head by position: a server sends the same names in the same order. */
const previousNames: FieldName[] = [];
const maxPreviousNames = 100;

const nameAt = (text: string, at: number, place: number): FieldName | null => {
  const before = previousNames[place];
  if (before !== undefined && text.startsWith(before.raw, at)) return before;
  const colon = text.indexOf(':', at);
  const name = text.slice(at, Math.max(at, colon));
  // A name that extends into the next line is not a token.
  if (!isFieldName(name)) return null;
  const found = { raw: `${name}:`, lower: name.toLowerCase() };
  if (place < maxPreviousNames) previousNames[place] = found;
  return found;
};

/** The fields from `from` to the empty line. A folded line goes on with the value before it (RFC 9112, section 5.2), as with curl and Go. */
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

/** The server's idle timer started before ours: a connection is not used in the last seconds, as in undici. */
const keepAliveMargin = 2000;

/** How long a server keeps an idle connection, less the margin, in ms, by `Keep-Alive: timeout`; infinite without it. */
export const keepAliveFor = (hint: string): number => {
  const seconds = hint === '' ? undefined : /timeout=(\d+)/.exec(hint)?.[1];
  return seconds === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Number(seconds) * 1000 - keepAliveMargin);
};

/**
 * How many answers come on a connection, by the `Keep-Alive` of its first one; infinite without `max`. Some servers count down from it,
 * others repeat it: the first is the same for both.
 */
export const maxAnswersOf = (hint: string): number => {
  const most = hint === '' ? undefined : /max=(\d+)/.exec(hint)?.[1];
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
};

const closesAfter = (text: string, connection: string): boolean => {
  if (connection !== '' && listIncludes(connection, 'close')) return true;
  return !text.startsWith('HTTP/1.1') && !listIncludes(connection, 'keep-alive');
};

/** Reads a head from its status line to its empty line. */
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

/** Whether an incomplete head can still become one: other protocols are rejected at once. */
export const mayBeHead = (text: string): boolean =>
  text.length < httpPrefix.length ? httpPrefix.startsWith(text) : text.startsWith(httpPrefix);
