import type {
  AnswerNote,
  ChatStreamAnswer,
  MalformedIssue,
  Outcome,
  TokenCounts,
} from '../../model/observation/outcome.ts';
import { streamEnd, type Usage } from '../../contract/chat.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { Price } from '../../model/workload/traffic.ts';
import {
  carriedByEvent,
  type CarriedContent,
  type ChatChunkReading,
  readChatChunk,
} from './chat-chunk.ts';
import type { RequestedPromptTokens } from '../request/chat-request.ts';
import { tokenCost } from '../cost-of-tokens.ts';
import type { ReadingContext } from '../traffic-handler.ts';
import { readStreamError } from '../answer/read-refusal.ts';
import {
  type BodyReader,
  type ResponseHeaders,
  malformed,
  type AbortReason,
} from '../answer/response-reader.ts';
import { type SseListener, SseReader } from './sse-reader.ts';
import { type ChunkReading, type EventTemplate, eventTemplateFor } from './event-template.ts';
import { InstantList, isBuffered, TokenTimes } from './token-times.ts';

/** The maximum number of bytes of one line or event. Only an image in base64 would be larger. */
export const maxEventBytes = 4 * 1024 * 1024;
/** The maximum number of comments of a stream whose instants are kept. */
const maxComments = 1000;

interface StreamContext extends ReadingContext {
  readonly headers: ResponseHeaders;
  readonly price: Price | null;
  readonly asked: RequestedPromptTokens;
}

type TokenContent = Exclude<CarriedContent, 'nothing'>;

/** Decides whether an event only contains a token of one choice, which continues. */
const isToken = ({ choices, usage }: ChunkReading): boolean =>
  usage === null &&
  choices.length === 1 &&
  choices[0]!.finish === null &&
  choices[0]!.carries !== 'nothing';

/**
 * Reads the events of a streamed chat answer, and records the instants that `model/measures/measures.ts` defines. The
 * `wire-*` tests name each quirk of servers that it resolves.
 */
export class EventStreamReader implements BodyReader {
  abortReason: AbortReason | null = null;
  protected readonly context: StreamContext;
  readonly #isLabelled: boolean;
  readonly #sse: SseReader;
  readonly #template: EventTemplate;
  readonly #times = new TokenTimes();
  readonly #comments = new InstantList();
  /** The notes without duplicates. A set for each stream would take 200 bytes. */
  readonly #notes: AnswerNote[] = [];
  /** The finish reason of each choice; `null` while it continues. */
  readonly #finishes = new Map<number, string | null>();
  #now = instant(0);
  #firstByte: Instant | null = null;
  #firstEvent: Instant | null = null;
  #usage: Usage | null = null;
  #firstChunkTokens: number | null = null;
  #events = 0;
  /** The last event that matched the template, if it contains a token of a choice that continues; otherwise `null`. */
  #tokenReading: ChunkReading | null = null;
  #isDone = false;
  #fault: { readonly issue: MalformedIssue; readonly detail: string } | null = null;

  constructor(context: StreamContext) {
    this.context = context;
    this.#template = eventTemplateFor(context.targetMemory);
    this.#isLabelled = /^text\/event-stream\b/i.test(context.headers['content-type'] ?? '');
    const listener: SseListener = {
      onEvent: (type, bytes, start, end) => this.#onEvent(type, bytes, start, end),
      onComment: () => this.#onComment(),
      onTooLong: (part) => this.#tooLarge(`one ${part} is longer than ${maxEventBytes} bytes`),
    };
    this.#sse = new SseReader(listener, maxEventBytes);
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#now = at;
    this.#firstByte ??= at;
    this.#times.onRead();
    this.#template.onRead();
    this.#sse.feed(bytes);
  }

  outcome(isTruncated: boolean): Outcome {
    if (this.#sse.unfinished && !this.isComplete) this.#note('unfinished-event');
    const fault = this.#fault ?? this.#endFault();
    if (fault !== null) return malformed(fault.issue, fault.detail, this.partial());
    if (!this.#isDone) this.#note('no-done');
    if ([...this.#finishes.values()].includes(null)) this.#note('no-finish');
    if (isTruncated) this.#note('cut-after-done');
    return { kind: 'completed', answer: this.#answer() };
  }

  partial(): ChatStreamAnswer | null {
    return this.#firstByte === null ? null : this.#answer();
  }

  get isAnswering(): boolean {
    return this.#times.count > 0 || this.isComplete;
  }

  get isComplete(): boolean {
    return this.#isDone || this.#fault !== null;
  }

  #answer(): ChatStreamAnswer {
    const times = this.#times;
    const tokenInstants = times.toArray();
    const finishes = [this.#finishes.get(0) ?? null, ...this.#finishes.values()];
    const { price, asked } = this.context;
    const reported = this.#tokens();
    const tokens = asked === undefined ? reported : { ...reported, asked };
    if (this.#events > 0 && !this.#isLabelled) this.#note('content-type');
    return {
      kind: 'chat-stream',
      firstByte: this.#firstByte ?? this.#now,
      firstEvent: this.#firstEvent,
      firstToken: times.firstToken,
      firstVisible: times.firstVisible,
      lastToken: times.lastToken,
      tokenInstants,
      commentInstants: this.#comments.toArray(),
      coalesced: times.coalesced,
      tokens,
      firstChunkTokens: this.#firstChunkTokens,
      finish: finishes.find((reason) => reason !== null) ?? null,
      buffered: isBuffered(tokenInstants, this.context.begun),
      notes: this.#notes.toSorted(),
      cost: tokenCost(tokens, price),
    };
  }

  #note(note: AnswerNote): void {
    if (!this.#notes.includes(note)) this.#notes.push(note);
  }

  #onEvent(type: string, bytes: Buffer, start: number, end: number): void {
    if (this.#isDone) {
      this.#note('data-after-done');
      return this.#sse.stop();
    }
    this.#events += 1;
    const { caps } = this.context;
    if (this.#events > caps.events)
      return this.#tooLarge(`the stream contains more than ${caps.events} events`);
    const matched = type === 'message' ? this.#template.match(bytes, start, end) : null;
    if (matched === null) this.#parseEvent(type, bytes.toString('utf8', start, end));
    else this.#applyMatched(matched);
  }

  #parseEvent(type: string, data: string): void {
    const { redact } = this.context;
    if (type === 'error') {
      this.#applyReading({ kind: 'error', message: readStreamError(data, redact) });
    } else if (data.trim() === streamEnd) {
      this.#isDone = true;
    } else if (data.trim() === '') {
      this.#note('empty-event');
    } else {
      const reading = readChatChunk(data, redact);
      this.#applyReading(reading);
      if (type === 'message') this.#template.learn(data, reading);
    }
  }

  /**
   * Applies an event that matched. If it repeats the last token, only its instant is recorded, since nothing else would
   * change.
   */
  #applyMatched(reading: ChunkReading): void {
    if (reading === this.#tokenReading) {
      return this.#times.onToken(this.#now, reading.choices[0]!.carries as TokenContent);
    }
    this.#applyChunk(reading);
    this.#tokenReading = isToken(reading) ? reading : null;
  }

  #applyReading(reading: ChatChunkReading): void {
    if (reading.kind === 'error') {
      this.#fail('stream-error', `an error within the stream: ${reading.message}`);
    } else if (reading.kind === 'unreadable') {
      const problem = `is not a chat completion chunk: ${reading.detail}`;
      this.#fail('stream-event', `event ${this.#events} ${problem}`);
    } else if (reading.kind === 'other') {
      this.#note('other-event');
    } else {
      this.#applyChunk(reading);
    }
  }

  #applyChunk({ choices, usage }: ChunkReading): void {
    const at = this.#now;
    if (choices.length > 0) this.#firstEvent ??= at;
    for (const { index, finish } of choices) {
      this.#finishes.set(index, finish ?? this.#finishes.get(index) ?? null);
    }
    if (usage === 'unreadable') this.#note('usage-unreadable');
    else this.#usage = usage ?? this.#usage;
    const carries = carriedByEvent(choices);
    if (carries !== 'nothing') {
      const isFirst = this.#times.count === 0;
      if (isFirst && usage !== null && usage !== 'unreadable' && usage.completion_tokens > 0) {
        this.#firstChunkTokens = usage.completion_tokens;
      }
      this.#times.onToken(at, carries);
    }
    if (choices.some(({ finish }) => finish === 'error')) {
      this.#fail('stream-error', 'a choice ended with finish_reason "error"');
    }
  }

  #onComment(): void {
    if (!this.isComplete && this.#comments.count < maxComments) this.#comments.add(this.#now);
  }

  /** Says what is wrong with a stream that ended without an error; `null` for a proper one. */
  #endFault(): { readonly issue: MalformedIssue; readonly detail: string } | null {
    if (this.#events === 0 && this.#firstByte !== null && !this.#isLabelled) {
      const detail = 'the body contains no event and is not labelled text/event-stream';
      return { issue: 'content-type', detail };
    }
    if (this.#finishes.size === 0) {
      const seen = this.#firstByte === null ? 'the body is empty' : 'no event has choices';
      return { issue: 'empty', detail: `${seen}; a stream of chat completion chunks was expected` };
    }
    if (this.#isDone) return null;
    const open = [...this.#finishes].filter(([, reason]) => reason === null);
    if (open.length > 0) {
      const which = open.map(([index]) => index).join(', ');
      const detail = `the stream ended without ${streamEnd} and without a finish reason for choice ${which}`;
      return { issue: 'stream-truncated', detail };
    }
    if (this.context.streams === 'lenient') return null;
    const detail = `the stream ended without ${streamEnd}, which \`streams: strict\` requires`;
    return { issue: 'stream-truncated', detail };
  }

  #tokens(): TokenCounts {
    const events = this.#times.count;
    const usage = this.#usage;
    if (usage === null) return { input: null, output: events, source: 'events' };
    if (usage.completion_tokens === 0 && events > 0) {
      this.#note('usage-zero');
      return { input: usage.prompt_tokens, output: events, source: 'events' };
    }
    return { input: usage.prompt_tokens, output: usage.completion_tokens, source: 'usage' };
  }

  #fail(issue: MalformedIssue, detail: string): void {
    this.#fault = { issue, detail };
    this.#sse.stop();
  }

  #tooLarge(detail: string): void {
    if (!this.#isDone) this.abortReason = { cause: 'too-large', detail };
    this.#sse.stop();
  }
}
