import { type CarriedContent, type ChatChunkReading, readChatChunk } from './chat-chunk.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The members whose text a token event may differ in. */
const members = ['content', 'reasoning_content', 'reasoning', 'text'].map((name) =>
  Buffer.from(`"${name}":`),
);

/** How often a template is replaced unused before templates are no longer tried for a stream. */
const maxUnusedTemplates = 4;

const nothing: Buffer = Buffer.alloc(0);

/**
 * The fast path through a stream. Most token events equal the previous one except for the text in
 * one place, so that comparing the bytes around it replaces parsing.
 *
 * Why a match gives the same as parsing: the template is an event that was parsed, split
 * inside one string literal. It was parsed twice more, with that literal filled and empty: filled,
 * the event contains a token, empty it contains none, and all else is the same. An event with
 * the same bytes around a text that has neither quote, backslash nor control character is the
 * same JSON with another value in that place (RFC 8259, section 7), and of that value a reading
 * depends only on whether it is empty.
 */
export class TokenTemplate {
  #before: Buffer | null = null;
  #after = nothing;
  #carries: CarriedContent = 'nothing';
  #maxUnusedTemplates = maxUnusedTemplates;

  /** What an event contains if it matches the template, else `null`: then it must be parsed. */
  match(bytes: Buffer, start: number, end: number): CarriedContent | null {
    const before = this.#before;
    if (before === null) return null;
    const from = start + before.length;
    const to = end - this.#after.length;
    if (from >= to || !isPlain(bytes, from, to) || !this.#surrounds(bytes, start, end)) return null;
    this.#maxUnusedTemplates = maxUnusedTemplates;
    return this.#carries;
  }

  /** Makes an event that was just parsed the template for the next ones, if it is suitable. */
  learn(bytes: Buffer, start: number, end: number, reading: ChatChunkReading): void {
    if (this.#maxUnusedTemplates === 0 || !isPlainToken(reading)) return;
    // A text with an escape is parsed, and the template is kept.
    if (this.#surrounds(bytes, start, end)) return;
    this.#maxUnusedTemplates -= 1;
    const event = bytes.subarray(start, end);
    for (const member of members) {
      const split = literalOf(event, member);
      if (split === null) continue;
      const before = event.subarray(0, split.start);
      const after = event.subarray(split.end);
      if (!isSafeTemplate(before, after, reading)) continue;
      this.#before = Buffer.from(before);
      this.#after = Buffer.from(after);
      this.#carries = reading.choices[0]!.carries;
      return;
    }
  }

  #surrounds(bytes: Buffer, start: number, end: number): boolean {
    const before = this.#before;
    const after = this.#after;
    return (
      before !== null &&
      end - start >= before.length + after.length &&
      matchesBytes(after, bytes, end - after.length) &&
      bytes.compare(before, 0, before.length, start, start + before.length) === 0
    );
  }
}

/** Whether `bytes` contain a word at a position; for a few bytes a loop is faster than `compare`. */
const matchesBytes = (word: Buffer, bytes: Buffer, place: number): boolean => {
  for (let i = 0; i < word.length; i += 1) if (bytes[place + i] !== word[i]) return false;
  return true;
};

/** Whether a part of a JSON string literal contains no escape. */
const isPlain = (bytes: Buffer, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return false;
  }
  return true;
};

type Chunk = Extract<ChatChunkReading, { kind: 'chunk' }>;

/** Whether the event has one choice with a token that continues, and no usage. */
const isPlainToken = (reading: ChatChunkReading): reading is Chunk =>
  reading.kind === 'chunk' &&
  reading.usage === null &&
  reading.choices.length === 1 &&
  reading.choices[0]!.carries !== 'nothing' &&
  reading.choices[0]!.finish === null;

/** Start and end of the string literal after a member's name, without quotes. */
const literalOf = (event: Buffer, member: Buffer): { start: number; end: number } | null => {
  const found = event.indexOf(member);
  if (found === -1) return null;
  let start = found + member.length;
  while (event[start] === SPACE) start += 1;
  if (event[start] !== QUOTE) return null;
  start += 1;
  for (let end = start; end < event.length; end += 1) {
    if (event[end] === BACKSLASH) end += 1;
    else if (event[end] === QUOTE) return { start, end };
  }
  return null;
};

const isSafeTemplate = (before: Buffer, after: Buffer, parsed: Chunk): boolean => {
  const first = parsed.choices[0]!;
  /** What the event carries with another text; `null` if anything else differs. */
  const carriedWith = (text: string): CarriedContent | null => {
    const reading = readChatChunk(
      `${String(before)}${text}${String(after)}`,
      (unmasked) => unmasked,
    );
    if (reading.kind !== 'chunk' || reading.usage !== null) return null;
    const [choice, ...others] = reading.choices;
    const isSame = choice?.finish === null && choice.index === first.index && others.length === 0;
    return isSame ? choice.carries : null;
  };
  return carriedWith('weir') === first.carries && carriedWith('') === 'nothing';
};
