import { type CarriedContent, type ChatChunkReading, readChatChunk } from './chat-chunk.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The members whose text a token event may differ in. */
const members = ['content', 'reasoning_content', 'reasoning'].map((name) =>
  Buffer.from(`"${name}":`),
);

/** How often a template is learned anew without being of use, before a stream is given up. */
const maxUnusedTemplates = 4;

const nothing: Buffer = Buffer.alloc(0);

/**
 * The fast path through a stream. Most token events are the one before them with another text in
 * one place, so that comparing the bytes around it replaces parsing.
 *
 * Why a match says exactly what parsing would: the template is an event that was parsed, split
 * inside one string literal. It was parsed twice more, with that literal filled and empty: with
 * it the event carries a token, without it nothing, and all else stays as it was. An event with
 * the same bytes around a text that has neither quote, backslash nor control character is the
 * same JSON with another value in that place (RFC 8259, section 7), and of that value a reading
 * depends on nothing but whether it is empty.
 */
export class TokenTemplate {
  #before: Buffer | null = null;
  #after = nothing;
  #carries: CarriedContent = 'nothing';
  #maxUnusedTemplates = maxUnusedTemplates;

  /** What an event carries if the template fits it, else `null`: then it must be parsed. */
  match(bytes: Buffer, start: number, end: number): CarriedContent | null {
    const before = this.#before;
    if (before === null) return null;
    const from = start + before.length;
    const to = end - this.#after.length;
    if (from >= to || !isPlain(bytes, from, to) || !this.#surrounds(bytes, start, end)) return null;
    this.#maxUnusedTemplates = maxUnusedTemplates;
    return this.#carries;
  }

  /** Takes an event that was just parsed for the template of those to come, if it is fit for one. */
  learn(bytes: Buffer, start: number, end: number, reading: ChatChunkReading): void {
    if (this.#maxUnusedTemplates === 0 || !isPlainToken(reading)) return;
    // A text with an escape is parsed, and the template serves on.
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

/** Whether a word stands at a place of `bytes`, by hand: calling `compare` costs more than the few bytes behind a text. */
const matchesBytes = (word: Buffer, bytes: Buffer, place: number): boolean => {
  for (let i = 0; i < word.length; i += 1) if (bytes[place + i] !== word[i]) return false;
  return true;
};

/** Whether bytes within a JSON string literal stand for themselves. */
const isPlain = (bytes: Buffer, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return false;
  }
  return true;
};

type Chunk = Extract<ChatChunkReading, { kind: 'chunk' }>;

/** One choice that brings a token, goes on, and counts no usage. */
const isPlainToken = (reading: ChatChunkReading): reading is Chunk =>
  reading.kind === 'chunk' &&
  reading.usage === null &&
  reading.choices.length === 1 &&
  reading.choices[0]!.carries !== 'nothing' &&
  reading.choices[0]!.finish === null;

/** Where the string literal after a member's name begins and ends, quotes excluded. */
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
  const withText = (text: string): Chunk | null => {
    const reading = readChatChunk(
      `${before.toString()}${text}${after.toString()}`,
      (unmasked) => unmasked,
    );
    return reading.kind === 'chunk' && reading.choices.length === 1 && reading.usage === null
      ? reading
      : null;
  };
  const filled = withText('weir')?.choices[0];
  const empty = withText('')?.choices[0];
  const first = parsed.choices[0]!;
  return (
    filled?.carries === first.carries &&
    filled.finish === null &&
    filled.index === first.index &&
    empty?.carries === 'nothing' &&
    empty.finish === null &&
    empty.index === first.index
  );
};
