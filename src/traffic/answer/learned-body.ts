import { isDeepStrictEqual } from 'node:util';

/**
 * This file learns JSON bodies, so that later bodies that match a learned body need no parsing. Most bodies equal an
 * earlier body except for the values of some members.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
const LETTER_U = 0x75;

/**
 * The content of a variable member: a text, a text that the model wrote (`writing`), a text of at least one character
 * that the model wrote (`words`), or a whole number from 0.
 */
type VariableValue = 'text' | 'writing' | 'words' | 'count';

/**
 * A member whose value may differ: its path in the document, its name, the kind of its value, and the pattern that
 * finds the member.
 */
export interface VariableMember {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly holds: VariableValue;
  readonly search: RegExp;
}

const patterns: Readonly<Record<VariableValue, string>> = {
  // The pattern also matches a text with an escape. A learned body treats such a text like any other text.
  text: String.raw`"((?:[^"\\]|\\.)*)"`,
  writing: String.raw`"((?:[^"\\]|\\.)*)"`,
  words: String.raw`"((?:[^"\\]|\\.)+)"`,
  count: String.raw`(0|[1-9]\d*)(?=[ \t\r\n,}])`,
};

export const variableMember = (
  holds: VariableValue,
  ...path: VariableMember['path']
): VariableMember => {
  const name = String(path.at(-1));
  const search = new RegExp(String.raw`"${name}"[ \t\r\n]*:[ \t\r\n]*${patterns[holds]}`, 'd');
  return { path, name, holds, search };
};

/** The maximum number of digits of a count. A count with this number of digits is still exact. */
const maxDigits = 15;

/**
 * The place of a variable value in a text. `from` is the position of the first character of the value, and `to` is the
 * position after the last character. The quotes of a text value are not part of the place.
 */
interface Place {
  readonly member: VariableMember;
  readonly from: number;
  readonly to: number;
}

const placesIn = (text: string, members: readonly VariableMember[]): readonly Place[] =>
  members
    .flatMap((member): Place[] => {
      const value = member.search.exec(text)?.indices?.[1];
      return value === undefined ? [] : [{ member, from: value[0], to: value[1] }];
    })
    .toSorted((a, b) => a.from - b.from);

const divideAt = (text: string, places: readonly Place[]): readonly string[] => {
  const starts = [0, ...places.map(({ to }) => to)];
  const ends = [...places.map(({ from }) => from), text.length];
  return starts.map((start, i) => text.slice(start, ends[i]));
};

const valueAt = (document: unknown, path: VariableMember['path']): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[name]
        : undefined,
    document,
  );

const setAt = (document: unknown, path: VariableMember['path'], value: unknown): void => {
  const parent = valueAt(document, path.slice(0, -1)) as Record<string | number, unknown>;
  parent[path.at(-1)!] = value;
};

const textAt = (base: number, place: number): string => `weir ${base + place}`;

/** Two lists of test values for the places. All these values are different. */
const fillings = [11, 2222].map((base) => ({
  text: (place: number): string => textAt(base, place),
  writing: (place: number): string => textAt(base, place),
  words: (place: number): string => textAt(base, place),
  count: (place: number): number => base + place,
}));

/**
 * Returns whether every place contains nothing but its value. The function writes test values into the places of the
 * text, and parses this text. It also sets the same test values in the parsed original. Both documents must be equal.
 */
const holdsOnlyValues = (text: string, places: readonly Place[]): boolean => {
  const fixed = divideAt(text, places);
  return fillings.every((filling) => {
    const expected: unknown = JSON.parse(text);
    let filled = fixed[0]!;
    for (const [
      i,
      {
        member: { path, holds },
      },
    ] of places.entries()) {
      const value = filling[holds](i);
      if (valueAt(expected, path) === undefined) return false;
      setAt(expected, path, value);
      filled += `${value}${fixed[i + 1]!}`;
    }
    return isDeepStrictEqual(JSON.parse(filled), expected);
  });
};

const isWritten = ({ holds }: VariableMember): boolean => holds === 'writing' || holds === 'words';

/**
 * Compares bodies with a learned body: the bytes between the variable values must be equal. An equal body is the same
 * document with other values, for the following reasons. The learned body was parsed with two other lists of values in
 * its places. Both times the result was the same document with these values. Each place therefore contains exactly one
 * string or number. A valid string without its quotes (RFC 8259, section 7), or a number without a leading zero, in
 * such a place changes only this value. Bytes that are not UTF-8 are decoded as replacement characters, never as a
 * quote or an escape. Example: in `{"id":"a1","n":7}` the places are `a1` and `7`, and `{"id":"b22","n":10}` matches
 * with `b22` and `10`.
 */
export class LearnedBody {
  /** Where the first value of the kind `words` begins and ends in the last match; −1 if the body has no such value. */
  wordsFrom = -1;
  wordsTo = -1;
  /**
   * The number of bytes that the model wrote in the last match. Before the first match, this is the number of bytes
   * that the model wrote in the learned body. `wordsWritten` counts only the bytes of the first value of the kind
   * `words`.
   */
  written: number;
  wordsWritten = 0;
  readonly #fixed: readonly Buffer[];
  readonly #places: readonly VariableMember[];
  readonly #firstWords: number;
  readonly #counts: number[];
  readonly #isWritten: readonly boolean[];

  constructor(text: string, places: readonly Place[]) {
    this.#fixed = divideAt(text, places).map((part) => Buffer.from(part));
    this.#places = places.map(({ member }) => member);
    this.#firstWords = this.#places.findIndex(({ holds }) => holds === 'words');
    this.#counts = places.map(() => 0);
    this.#isWritten = places.map(({ member }) => isWritten(member));
    const texts = places.filter(({ member }) => isWritten(member));
    this.written = texts.reduce(
      (sum, { from, to }) =>
        sum + Buffer.byteLength(JSON.parse(`"${text.slice(from, to)}"`) as string),
      0,
    );
  }

  /**
   * Returns whether the part of `bytes` from `start` to before `end` is the learned body with other values. After a
   * match, `countAt` returns the counts of the matched body.
   */
  match(bytes: Buffer, start: number, end: number): boolean {
    let at = this.#fixedAt(bytes, start, end, 0);
    this.written = 0;
    for (let i = 0; at >= 0 && i < this.#places.length; i += 1) {
      const to = this.#valueAt(bytes, at, end, i);
      const written = to >= 0 && this.#isWritten[i]! ? bytesOfText(bytes, at, to) : 0;
      this.written += written;
      if (i === this.#firstWords) {
        this.wordsFrom = at;
        this.wordsTo = to;
        this.wordsWritten = written;
      }
      at = to < 0 ? to : this.#fixedAt(bytes, to, end, i + 1);
    }
    return at === end;
  }

  /**
   * Returns whether the part of `bytes` before `end` ends like the learned body. For a body of another form, this check
   * is faster than `match`, because it reads no texts.
   */
  endsAlike(bytes: Buffer, end: number): boolean {
    const last = this.#fixed.at(-1)!;
    if (end < last.length) return false;
    for (let i = 1; i <= last.length; i += 1)
      if (bytes[end - i] !== last[last.length - i]) return false;
    return true;
  }

  /** Returns the index of the place of the member with this name; −1 if the learned body has no such place. */
  placeOf(name: string): number {
    return this.#places.findIndex((member) => member.name === name);
  }

  countAt(place: number): number {
    return this.#counts[place]!;
  }

  /**
   * Returns the position after a fixed part of the body that begins at `at`; −1 if the bytes at this position differ.
   */
  #fixedAt(bytes: Buffer, at: number, end: number, part: number): number {
    const fixed = this.#fixed[part]!;
    if (at + fixed.length > end) return -1;
    for (let i = 0; i < fixed.length; i += 1) if (bytes[at + i] !== fixed[i]) return -1;
    return at + fixed.length;
  }

  /** Returns the position after a value that begins at `at`; −1 if no value begins at this position. */
  #valueAt(bytes: Buffer, at: number, end: number, place: number): number {
    const { holds } = this.#places[place]!;
    if (holds === 'count') return this.#readCount(bytes, at, end, place);
    const to = endOfText(bytes, at, end);
    return holds === 'words' && to === at ? -1 : to;
  }

  /** Reads a count without a leading zero. Returns the position after the count, or −1 if there is no count. */
  #readCount(bytes: Buffer, from: number, end: number, place: number): number {
    let count = 0;
    let at = from;
    for (; at < end; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      count = 10 * count + digit;
    }
    const digits = at - from;
    if (digits === 0 || digits > maxDigits || (digits > 1 && bytes[from] === ZERO)) return -1;
    this.#counts[place] = count;
    return at;
  }
}

/**
 * Learns a body that was parsed without an error. Every variable member that is found in the body becomes variable.
 * Returns `null` if the body cannot be learned.
 */
export const learnBody = (text: string, members: readonly VariableMember[]): LearnedBody | null => {
  const found = placesIn(text, members);
  if (holdsOnlyValues(text, found)) return new LearnedBody(text, found);
  // The name of a member may also occur earlier at another position. The value at that position then counts as fixed.
  const places = found.filter((place) => holdsOnlyValues(text, [place]));
  return holdsOnlyValues(text, places) ? new LearnedBody(text, places) : null;
};

const simpleEscapes = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

/** Returns the position after an escape that begins at `at`; −1 if no escape begins at this position. */
const endOfEscape = (bytes: Buffer, at: number, end: number): number => {
  const kind = bytes[at + 1]!;
  if (simpleEscapes.has(kind)) return at + 2;
  const to = at + 6;
  const isHex = kind === LETTER_U && /^[\da-f]{4}$/i.test(bytes.toString('latin1', at + 2, to));
  return isHex && to < end ? to : -1;
};

/** Whether the last text that `endOfText` read contains an escape. */
let isEscaped = false;

/** Returns the length in bytes of the last text that `endOfText` read, with its escapes decoded. */
const bytesOfText = (bytes: Buffer, from: number, to: number): number =>
  isEscaped
    ? Buffer.byteLength(JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string)
    : to - from;

/** Returns the position of the quote that ends a text; −1 if the text has no end. */
const endOfText = (bytes: Buffer, from: number, end: number): number => {
  let at = from;
  isEscaped = false;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte < SPACE) return -1;
    if (byte !== BACKSLASH) at += 1;
    else {
      isEscaped = true;
      at = endOfEscape(bytes, at, end);
    }
    if (at < 0) return -1;
  }
  return -1;
};

/** Returns whether a part of a JSON string contains no escape and not the end of the string. */
export const isPlainText = (bytes: Buffer, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return false;
  }
  return true;
};
