import { isDeepStrictEqual } from 'node:util';
import type { ChatResponse } from '../../contract/chat.ts';
import { isPlausibleUsage } from '../cost-of-tokens.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;

/** The parts of a completion that an answer is made of. */
export type CompletionParts = Pick<ChatResponse, 'choices' | 'usage'>;

/** A member whose value may differ: where it is in the document, by which name it is found, and what it holds. */
interface VariableMember {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly holds: 'text' | 'count';
}

const variable = (
  holds: VariableMember['holds'],
  ...path: VariableMember['path']
): VariableMember => ({
  path,
  name: String(path.at(-1)),
  holds,
});

const message = ['choices', 0, 'message'] as const;

/** Members on which no outcome depends, as long as they hold a text or a count and the usage counts output. */
const variableMembers: readonly VariableMember[] = [
  variable('text', 'id'),
  variable('count', 'created'),
  variable('text', 'model'),
  variable('text', 'system_fingerprint'),
  variable('text', ...message, 'content'),
  variable('text', ...message, 'reasoning'),
  variable('text', ...message, 'reasoning_content'),
  variable('count', 'usage', 'prompt_tokens'),
  variable('count', 'usage', 'completion_tokens'),
  variable('count', 'usage', 'total_tokens'),
];

/** Counts of so many digits are exact. */
const maxDigits = 15;

/** The value of such a member in a text, from its first character to the one after its last; a text without its quotes. */
interface Place {
  readonly member: VariableMember;
  readonly from: number;
  readonly to: number;
}

const patterns: Readonly<Record<VariableMember['holds'], string>> = {
  // A text with an escape is found too: in the template it is one like any other.
  text: String.raw`"((?:[^"\\]|\\.)*)"`,
  count: String.raw`(0|[1-9]\d*)(?=[ \t\r\n,}])`,
};

const searches: ReadonlyMap<VariableMember, RegExp> = new Map(
  variableMembers.map((each) => [
    each,
    new RegExp(String.raw`"${each.name}"[ \t\r\n]*:[ \t\r\n]*${patterns[each.holds]}`, 'd'),
  ]),
);

const placesIn = (text: string): readonly Place[] =>
  variableMembers
    .flatMap((each): Place[] => {
      const value = searches.get(each)?.exec(text)?.indices?.[1];
      return value === undefined ? [] : [{ member: each, from: value[0], to: value[1] }];
    })
    .toSorted((a, b) => a.from - b.from);

const divided = (text: string, places: readonly Place[]): readonly string[] => {
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

/** Changes a value in a document that has the path. */
const setAt = (document: unknown, path: VariableMember['path'], value: unknown): void => {
  const parent = valueAt(document, path.slice(0, -1)) as Record<string | number, unknown>;
  parent[path.at(-1)!] = value;
};

/** Two fillings of the places, all different from each other. */
const fillings = [11, 2222].map((base) => ({
  text: (place: number): string => `weir ${base + place}`,
  count: (place: number): number => base + place,
}));

/** Whether the text with other values in these places is the same document with these values. */
const holdsOnlyValues = (text: string, places: readonly Place[]): boolean => {
  const fixed = divided(text, places);
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

/** A learned body: the bytes between these values, and what is fixed in it. */
class LearnedBody {
  readonly #fixed: readonly Buffer[];
  readonly #holds: readonly VariableMember['holds'][];
  readonly #choices: ChatResponse['choices'];
  /** Which places hold the prompt's and the answer's tokens. */
  readonly #input: number;
  readonly #output: number;
  /** The counts of the last match, by place. */
  readonly #counts: number[];

  constructor(text: string, places: readonly Place[], choices: ChatResponse['choices']) {
    this.#fixed = divided(text, places).map((part) => Buffer.from(part));
    this.#holds = places.map(({ member: { holds } }) => holds);
    this.#choices = choices;
    const placeOf = (name: string): number =>
      places.findIndex((place) => place.member.name === name);
    this.#input = placeOf('prompt_tokens');
    this.#output = placeOf('completion_tokens');
    this.#counts = places.map(() => 0);
  }

  match(bytes: Buffer): CompletionParts | null {
    let at = this.#fixedAt(bytes, 0, 0);
    for (let i = 0; at >= 0 && i < this.#holds.length; i += 1) {
      const end = this.#holds[i] === 'text' ? endOfText(bytes, at) : this.#readCount(bytes, at, i);
      at = end < 0 ? end : this.#fixedAt(bytes, end, i + 1);
    }
    const usage = {
      prompt_tokens: this.#counts[this.#input]!,
      completion_tokens: this.#counts[this.#output]!,
    };
    // Without a usage that counts, the answer's texts do, which a match does not read.
    const isCounted = usage.completion_tokens > 0 && isPlausibleUsage(usage);
    return at === bytes.length && isCounted ? { choices: this.#choices, usage } : null;
  }

  /** The position after a fixed part that begins at `at`, or −1. */
  #fixedAt(bytes: Buffer, at: number, part: number): number {
    const fixed = this.#fixed[part]!;
    if (at + fixed.length > bytes.length) return -1;
    for (let i = 0; i < fixed.length; i += 1) if (bytes[at + i] !== fixed[i]) return -1;
    return at + fixed.length;
  }

  /** Reads a count without a leading zero, and returns the position after it, or −1. */
  #readCount(bytes: Buffer, from: number, place: number): number {
    let count = 0;
    let at = from;
    for (; at < bytes.length; at += 1) {
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

/** The position of the quote that ends a text without escapes, or −1. */
const endOfText = (bytes: Buffer, from: number): number => {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < SPACE) return -1;
  }
  return -1;
};

/** A server has some forms of answers, for example one for each reason to finish. */
const maxBodies = 4;
/** Learning a body takes as long as reading some sixty: the bodies must have saved that before another is learned. */
const matchesPerLearning = 64;
const maxLearnings = 8;
/** Bodies that are longer are not learned, in UTF-16 units: most of them differ in more than is known here. */
const maxLearnedLength = 16 * 1024;

/**
 * The fast path through completions in one piece: most equal an earlier one except for their ids, texts and counts, so that
 * comparing the bytes between these replaces parsing and validating.
 *
 * Why a match gives the same as reading the document: a learned body was read as a completion. With two other fillings of
 * its places it was parsed as the same document with just these values, so each place is the whole of one string literal or
 * number. A text without quote, backslash and control characters (RFC 8259, section 7), or a number without a leading zero,
 * in its place gives the same document with another value there. Bytes that are no UTF-8 are decoded as replacement
 * characters, never as one of those. Of the values, only the counts enter an outcome.
 */
export class CompletionTemplate {
  /** The one matched last comes first. */
  readonly #bodies: LearnedBody[] = [];
  #learningsLeft = maxLearnings;
  #matches = 0;

  /** What an answer is made of, if the body matches one that was learned; else `null`: then it must be read. Its texts are not the body's. */
  match(bytes: Buffer): CompletionParts | null {
    for (let i = 0; i < this.#bodies.length; i += 1) {
      const body = this.#bodies[i]!;
      const parts = body.match(bytes);
      if (parts === null) continue;
      if (i > 0) this.#bodies.unshift(...this.#bodies.splice(i, 1));
      this.#noteMatch();
      return parts;
    }
    return null;
  }

  /** Learns a body that was just read as this completion, if it is suitable. */
  learn(text: string, { choices, usage }: CompletionParts): void {
    if (this.#learningsLeft === 0 || text.length > maxLearnedLength || !usage?.completion_tokens)
      return;
    this.#learningsLeft -= 1;
    // A name can be found elsewhere first; what it holds there stays fixed.
    const places = placesIn(text).filter((place) => holdsOnlyValues(text, [place]));
    const names = new Set(places.map(({ member: { name } }) => name));
    if (!names.has('prompt_tokens') || !names.has('completion_tokens')) return;
    if (!holdsOnlyValues(text, places)) return;
    this.#bodies.unshift(new LearnedBody(text, places, choices));
    this.#bodies.splice(maxBodies);
  }

  #noteMatch(): void {
    this.#matches += 1;
    if (this.#matches < matchesPerLearning) return;
    this.#matches = 0;
    this.#learningsLeft = Math.min(maxLearnings, this.#learningsLeft + 1);
  }
}
