import {
  LearnedBodies,
  type LearnedReading,
  matchedUsage,
  usageMembers,
} from '../answer/learned-bodies.ts';
import { isPlainText, variableMember } from '../answer/learned-body.ts';
import type { TargetMemory } from '../traffic-handler.ts';
import type { ChatChunkReading } from './chat-chunk.ts';

export type ChunkReading = Extract<ChatChunkReading, { kind: 'chunk' }>;

const delta = ['choices', 0, 'delta'] as const;

/**
 * An event can match a learned event even if the values of these members differ. Only two properties of these values
 * change the reading: whether the text of a delta is empty, and the counts in a usage.
 */
const variableMembers = [
  variableMember('text', 'id'),
  variableMember('count', 'created'),
  variableMember('text', 'model'),
  variableMember('text', 'system_fingerprint'),
  variableMember('text', 'obfuscation'),
  variableMember('words', ...delta, 'content'),
  variableMember('words', ...delta, 'content', 0, 'text'),
  variableMember('words', ...delta, 'content', 0, 'thinking', 0, 'text'),
  variableMember('words', ...delta, 'reasoning'),
  variableMember('words', ...delta, 'reasoning_content'),
  variableMember('words', ...delta, 'tool_calls', 0, 'function', 'arguments'),
  ...usageMembers,
];

/**
 * Returns the reading of an event that matched; `null` if the event must be parsed. For an event without usage, each
 * call returns the same object.
 */
const readingOf = (learned: LearnedReading<ChunkReading>): ChunkReading | null => {
  const { usage } = learned.reading;
  if (usage === null) return learned.reading;
  const counted = matchedUsage(learned, usage);
  return counted === null ? null : { ...learned.reading, usage: counted };
};

/**
 * The maximum number of learned events. A stream has only a few forms of events: the role, a token, the end of a
 * choice, the usage.
 */
const maxForms = 8;

/** Returns whether two parts of the same buffer are equal. */
const areEqual = (view: DataView, one: number, other: number, length: number): boolean => {
  let i = 0;
  // If many events arrive together, comparing four bytes at a time takes a third of the time of `Buffer.compare`.
  for (; i + 4 <= length; i += 4) {
    if (view.getInt32(one + i) !== view.getInt32(other + i)) return false;
  }
  for (; i < length; i += 1) if (view.getInt8(one + i) !== view.getInt8(other + i)) return false;
  return true;
};

/**
 * Stores an event of the current read that matched the template. The next events of the same read are compared with
 * this event.
 */
class RepeatedEvent {
  #bytes: Buffer | null = null;
  /** A view of the bytes. It is created only for the second event of a read, because most reads contain one event. */
  #view: DataView | null = null;
  #start = 0;
  #end = 0;
  #wordsFrom = 0;
  #wordsTo = 0;
  #reading: ChunkReading | null = null;
  /** How many bytes the model wrote in the stored event, without the first value of the kind `words`. */
  #others = 0;
  /** The number of bytes that the model wrote in the last event that matched. */
  written = 0;

  /** Drops the event, because the bytes of the last read are no longer valid. */
  forget(): void {
    this.#bytes = null;
  }

  note(
    bytes: Buffer,
    start: number,
    end: number,
    { body, reading }: LearnedReading<ChunkReading>,
    written: number,
  ): void {
    this.#bytes = body.wordsFrom < 0 || reading.usage !== null ? null : bytes;
    this.#view = null;
    this.#start = start;
    this.#end = end;
    this.#wordsFrom = body.wordsFrom;
    this.#wordsTo = body.wordsTo;
    this.#reading = reading;
    this.#others = written - body.wordsWritten;
  }

  /**
   * Returns the reading of the stored event if the given event differs from the stored event only in the words;
   * otherwise `null`. `start` and `end` are the position of the given event in the same bytes.
   */
  match(bytes: Buffer, start: number, end: number): ChunkReading | null {
    if (bytes !== this.#bytes || start < this.#end) return null;
    const before = this.#wordsFrom - this.#start;
    const after = this.#end - this.#wordsTo;
    const [from, to] = [start + before, end - after];
    if (from >= to) return null;
    this.written = this.#others + to - from;
    this.#view ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return areEqual(this.#view, this.#start, start, before) &&
      areEqual(this.#view, this.#wordsTo, to, after) &&
      isPlainText(bytes, from, to)
      ? this.#reading
      : null;
  }
}

/**
 * Reads the events of a target's streams without parsing. Most events equal an event of an earlier stream except for
 * ids, texts and counts. This class therefore compares the bytes between these values instead of parsing the event. A
 * match gives the same result as parsing: the learned event was read as a chunk, and the values that may differ
 * (`LearnedBody`) change the reading only in the two ways that the comment on `variableMembers` describes. The words of
 * a learned event and of a match are never empty.
 */
export class EventTemplate {
  readonly #events = new LearnedBodies<ChunkReading>(variableMembers, maxForms);
  readonly #repeated = new RepeatedEvent();
  /** The number of bytes that the model wrote in the last event that matched; NaN if unknown. */
  written = 0;

  /** Begins a read. The caller must call this method before the first `match` of each read. */
  onRead(): void {
    this.#repeated.forget();
  }

  /** Returns the reading of an event that matches a learned event; `null` if the event must be parsed. */
  match(bytes: Buffer, start: number, end: number): ChunkReading | null {
    const repeated = this.#repeated.match(bytes, start, end);
    if (repeated === null) return this.#matchLearned(bytes, start, end);
    this.written = this.#repeated.written;
    return repeated;
  }

  learn(text: string, reading: ChatChunkReading): void {
    // An event whose usage is not plain is not learned, so it is always parsed.
    if (reading.kind === 'chunk' && reading.usage?.isPlain !== false)
      this.#events.learn(text, reading, reading.usage !== null, reading.written);
  }

  #matchLearned(bytes: Buffer, start: number, end: number): ChunkReading | null {
    const learned = this.#events.match(bytes, start, end);
    const reading = learned && readingOf(learned);
    if (reading === null) return null;
    this.written = learned!.fixedWriting + learned!.body.written;
    this.#repeated.note(bytes, start, end, learned!, this.written);
    return reading;
  }
}

const templates = new WeakMap<TargetMemory, EventTemplate>();

/** Returns the template that the streams of a slice share. */
export const eventTemplateFor = (memory: TargetMemory): EventTemplate => {
  const known = templates.get(memory);
  if (known !== undefined) return known;
  const made = new EventTemplate();
  templates.set(memory, made);
  return made;
};
