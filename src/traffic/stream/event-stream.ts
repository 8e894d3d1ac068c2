import type {
  AnswerNote,
  ChatStreamAnswer,
  MalformedIssue,
  Outcome,
  TokenCounts,
} from '../../model/observation/outcome.ts';
import { streamEnd } from '../../contract/chat.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { Price } from '../../model/workload/price.ts';
import {
  carriedByEvent,
  type CarriedContent,
  type ChatChunkReading,
  isStreamEnd,
  readChatChunk,
} from './chat-chunk.ts';
import { type PromptFacts, withPrompt } from '../request/sent-prompts.ts';
import { tokenCost } from '../cost-of-tokens.ts';
import type { ReadingContext } from '../traffic-handler.ts';
import {
  excerpt,
  namesOf,
  readCutError,
  readErrorLine,
  readStreamError,
} from '../answer/read-refusal.ts';
import { isErrorType } from '../answer/error-forms.ts';
import { jsonIn, objectOf } from '../answer/json-text.ts';
import { isFailingFinish, isKnownFinish, shownFinish } from '../answer/finish-reasons.ts';
import { laterUsage, type UsageReading } from '../answer/read-usage.ts';
import { countedTokens } from '../answer/usage-classes.ts';
import { withMost } from '../answer/written-bytes.ts';
import {
  type BodyReader,
  type ResponseHeaders,
  malformed,
  type AbortReason,
} from '../answer/response-reader.ts';
import { type SseListener, SseReader } from './sse-reader.ts';
import { unfinishedAnswer } from './unfinished-answer.ts';
import { type ChunkReading, type EventTemplate, eventTemplateFor } from './event-template.ts';
import { InstantList, isBuffered, TokenTimes } from './token-times.ts';

/** The maximum number of bytes of one line or event. Only an event with an image in base64 could be larger. */
export const maxEventBytes = 4 * 1024 * 1024;
/** The instants of at most this many comments of a stream are stored. */
const maxComments = 1000;
/** At most this many characters of the lines outside events are stored. */
const maxStrayLength = 8192;

interface StreamContext extends ReadingContext {
  readonly headers: ResponseHeaders;
  readonly price: Price | null;
  readonly prompt: PromptFacts;
}

type TokenContent = Exclude<CarriedContent, 'nothing'>;

/** Returns whether an event contains only a token of one choice that continues. */
const isToken = ({ choices, finish, usage }: ChunkReading): boolean =>
  usage === null &&
  finish === null &&
  choices.length === 1 &&
  choices[0]!.finish === null &&
  choices[0]!.carries !== 'nothing';

/**
 * Reads the events of a streamed chat answer, and records the instants from which `model/measures/measures.ts` computes
 * the times of the stream. The tests `wire-*` name each deviation of servers that this class handles.
 */
export class EventStreamReader implements BodyReader {
  abortReason: AbortReason | null = null;
  protected readonly context: StreamContext;
  readonly #isLabelled: boolean;
  readonly #sse: SseReader;
  readonly #template: EventTemplate;
  readonly #times = new TokenTimes();
  readonly #comments = new InstantList();
  /** The notes without repetitions. A set for each stream would take 200 bytes of memory. */
  readonly #notes: AnswerNote[] = [];
  /** The finish reason of each choice; `null` while the choice continues. */
  readonly #finishes = new Map<number, string | null>();
  #now = instant(0);
  #firstByte: Instant | null = null;
  #firstEvent: Instant | null = null;
  #usage: UsageReading | null = null;
  #written = 0;
  #firstChunkTokens: number | null = null;
  #events = 0;
  /**
   * The reading of the last event that matched the template, if this event was only a token of one choice that
   * continues; otherwise `null`. The next event with the same reading is then just another token.
   */
  #tokenReading: ChunkReading | null = null;
  #isDone = false;
  #fault: { readonly issue: MalformedIssue; readonly detail: string } | null = null;
  /** The finish reason with which a choice failed. A later event may contain the server's explanation. */
  #failedFinish: string | null = null;
  /** The names of the fields of the first event that is not a chunk, as a text. */
  #otherFields = '';
  /** Text outside the events that may explain a failure: lines that are no fields, or an error after `[DONE]`. */
  #stray = '';

  constructor(context: StreamContext) {
    this.context = context;
    this.#template = eventTemplateFor(context.targetMemory);
    this.#isLabelled = /^text\/event-stream\b/i.test(context.headers['content-type'] ?? '');
    const listener: SseListener = {
      onEvent: (type, bytes, start, end) => this.#onEvent(type, bytes, start, end),
      onComment: () => this.#onComment(),
      // NVIDIA Dynamo writes an error as `event: error` with a comment (lib/llm/src/http/service/openai.rs).
      onBare: (type, comment) => {
        if (isErrorType(type) && !this.#isDone) this.#parseEvent(type, comment);
      },
      onStray: (bytes, start, end) => this.#onStray(bytes.toString('utf8', start, end)),
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
    if (this.#sse.unfinished && !this.#isDone) this.#readLeftovers();
    const fault = this.#fault ?? this.#endFault();
    if (fault !== null) return malformed(fault.issue, fault.detail, this.partial());
    if (!this.#isDone) this.#note('no-done');
    const reasons = [...this.#finishes.values()];
    if (reasons.includes(null)) this.#note('no-finish');
    if (reasons.some((reason) => reason !== null && !isKnownFinish(reason)))
      this.#note('finish-unknown');
    if (isTruncated) this.#note('cut-after-done');
    const hasThought = (this.#usage?.classes?.reasoning ?? 0) > 0;
    if (this.#times.count === 0 && !hasThought) this.#note('no-content');
    return { kind: 'completed', answer: this.#answer() };
  }

  partial(): ChatStreamAnswer | null {
    if (this.#firstByte === null) return null;
    const answer = this.#answer();
    return this.#isDone ? answer : unfinishedAnswer(answer, [...this.#finishes.values()]);
  }

  get tokenEvents(): number {
    return this.#times.count;
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
    const finish = this.#failedFinish ?? finishes.find((reason) => reason !== null) ?? null;
    const { price, prompt, redact } = this.context;
    const tokens = withPrompt(this.#tokens(), prompt, this.#usage?.isBeyondText);
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
      finish: finish === null ? null : shownFinish(finish, redact),
      buffered: isBuffered(tokenInstants, this.context.begun),
      notes: this.#notes.toSorted(),
      cost: tokenCost(tokens, price),
    };
  }

  #note(note: AnswerNote): void {
    if (!this.#notes.includes(note)) this.#notes.push(note);
  }

  #onEvent(type: string, bytes: Buffer, start: number, end: number): void {
    if (this.#isDone) return this.#readAfterDone(type, bytes.toString('utf8', start, end));
    this.#events += 1;
    const { caps } = this.context;
    if (this.#events > caps.events)
      return this.#tooLarge(`the stream contains more than ${caps.events} events`);
    const matched = type === 'message' ? this.#template.match(bytes, start, end) : null;
    if (matched === null) this.#parseEvent(type, bytes.toString('utf8', start, end));
    else this.#applyMatched(matched);
  }

  /** Reads the event after `[DONE]`: some servers report the usage or an error in it. Its other content is ignored. */
  #readAfterDone(type: string, data: string): void {
    this.#note('data-after-done');
    const { redact } = this.context;
    const reading = readChatChunk(data, redact);
    if (isErrorType(type)) this.#stray = readStreamError(data, redact);
    else if (reading.kind === 'error') this.#stray = reading.message;
    else if (reading.kind === 'chunk' && reading.usage !== null)
      this.#usage = laterUsage(this.#usage, reading.usage);
    this.#sse.stop();
  }

  #parseEvent(type: string, data: string): void {
    const { redact } = this.context;
    if (isErrorType(type)) {
      this.#applyReading({ kind: 'error', message: readStreamError(data, redact) });
    } else if (isStreamEnd(data)) {
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
   * Applies an event that matched the template. If the event has the same reading as the last token, only its instant
   * and its bytes are recorded, because nothing else would change.
   */
  #applyMatched(reading: ChunkReading): void {
    if (this.#fault !== null) return;
    this.#written += this.#template.written;
    if (reading === this.#tokenReading) {
      return this.#times.onToken(this.#now, reading.choices[0]!.carries as TokenContent);
    }
    this.#applyChunk(reading);
    this.#tokenReading = isToken(reading) ? reading : null;
  }

  #applyReading(reading: ChatChunkReading): void {
    // After a failure, an event matters only if it contains the server's explanation of the failure.
    if (reading.kind === 'error') this.#failWith(reading.message);
    else if (this.#fault === null) this.#applyProper(reading);
  }

  #applyProper(reading: Exclude<ChatChunkReading, { readonly kind: 'error' }>): void {
    if (reading.kind === 'unreadable') {
      const problem = `is not a chat completion chunk: ${reading.detail}`;
      this.#fail('stream-event', `event ${this.#events} ${problem}`);
    } else if (reading.kind === 'other') {
      this.#note('other-event');
      if (this.#otherFields === '')
        this.#otherFields = namesOf(reading.fields, this.context.redact);
    } else {
      this.#written += reading.written;
      this.#applyChunk(reading);
    }
  }

  #applyChunk({ choices, finish: last, usage }: ChunkReading): void {
    const at = this.#now;
    if (choices.length > 0) this.#firstEvent ??= at;
    for (const { index, finish } of choices) {
      this.#finishes.set(index, finish ?? this.#finishes.get(index) ?? null);
    }
    if (usage !== null) this.#usage = laterUsage(this.#usage, usage);
    const carries = carriedByEvent(choices);
    if (carries !== 'nothing') {
      const isFirst = this.#times.count === 0;
      if (isFirst && usage !== null && usage.output !== null && usage.output > 0) {
        this.#firstChunkTokens = usage.output;
      }
      this.#times.onToken(at, carries);
    }
    for (const { finish } of choices) if (finish !== null) this.#onFinish(finish);
    if (last !== null) this.#finishAll(last);
  }

  /** Records a finish reason at the top of an event. It ends all choices that have no finish reason yet. */
  #finishAll(finish: string): void {
    for (const [index, reason] of this.#finishes) this.#finishes.set(index, reason ?? finish);
    this.#onFinish(finish);
  }

  /** Records a failing finish reason. Reading continues, because the server's explanation may follow. */
  #onFinish(finish: string): void {
    if (this.#fault !== null || !isFailingFinish(finish, this.context.fails)) return;
    this.#failedFinish = finish;
    const detail = `a choice ended with finish_reason ${JSON.stringify(shownFinish(finish, this.context.redact))}`;
    this.#fault = { issue: 'stream-error', detail };
  }

  #failWith(message: string): void {
    const detail = this.#failedFinish === null ? 'an error within the stream' : this.#fault!.detail;
    this.#fail('stream-error', `${detail}: ${message}`);
  }

  /** Reads a line that is not a field of an event stream: an error, a part of an error, or a meaningless line. */
  #onStray(line: string): void {
    if (this.#isDone) return;
    if (objectOf(jsonIn(this.#stray)) !== null) this.#stray = '';
    this.#stray = `${this.#stray}${line}\n`.slice(0, maxStrayLength);
    // A JSON error may be spread over several lines, so all lines so far are read together.
    const isPart = /^\s*[[{]/.test(this.#stray) && objectOf(jsonIn(line)) === null;
    const error = readErrorLine(isPart ? this.#stray : line, this.context.redact);
    if (error !== null) this.#failWith(error);
    else this.#note('stray-line');
  }

  /** Reads the incomplete rest of the stream, which is not an event, but may be the error that ended the stream. */
  #readLeftovers(): void {
    const { redact } = this.context;
    const leftovers = this.#sse.leftovers();
    if (this.#fault === null) this.#note('unfinished-event');
    const errors = [...leftovers, `${this.#stray}${leftovers.at(-1) ?? ''}`].map(
      (text) => readErrorLine(text, redact) ?? readCutError(text, redact),
    );
    const error = errors.find((text) => text !== null);
    if (error !== undefined) this.#failWith(error);
    else if (this.#stray === '')
      this.#stray = leftovers.find((text) => !text.startsWith('{') && text !== streamEnd) ?? '';
  }

  #onComment(): void {
    if (!this.isComplete && this.#comments.count < maxComments) this.#comments.add(this.#now);
  }

  /** Returns what is wrong with a stream that ended without an error; `null` if the stream is complete. */
  #endFault(): { readonly issue: MalformedIssue; readonly detail: string } | null {
    if (this.#events === 0 && this.#firstByte !== null && !this.#isLabelled) {
      const detail = 'the body contains no event and is not labelled text/event-stream';
      return { issue: 'content-type', detail };
    }
    if (this.#finishes.size === 0) {
      const seen =
        this.#firstByte === null
          ? 'the body is empty'
          : `no event has choices${this.#otherFields === '' ? '' : `, but ${this.#otherFields}`}`;
      return { issue: 'empty', detail: `${seen}; a stream of chat completion chunks was expected` };
    }
    if (this.#isDone) return this.#finishFault();
    const open = [...this.#finishes].filter(([, reason]) => reason === null);
    if (open.length > 0) {
      const which = open.map(([index]) => index).join(', ');
      const detail = `the stream ended without ${streamEnd} and without a finish reason for choice ${which}`;
      return { issue: 'stream-truncated', detail: detail + this.#strayText() };
    }
    if (this.context.streams !== 'strict') return null;
    const detail = `the stream ended without ${streamEnd}, which \`streams: strict\` requires`;
    return { issue: 'stream-truncated', detail };
  }

  /** Returns what is wrong with a stream that ended with `[DONE]`. If a choice has ended, nothing is wrong (`null`). */
  #finishFault(): { readonly issue: MalformedIssue; readonly detail: string } | null {
    if ([...this.#finishes.values()].some((reason) => reason !== null)) return null;
    if (this.#times.count === 0 && (this.#usage?.output ?? 0) === 0) {
      const detail = `the stream ended with ${streamEnd}, but without a token and without a finish reason`;
      return { issue: 'empty', detail: detail + this.#strayText() };
    }
    if (this.context.streams === 'lenient') return null;
    const detail = `the stream ended with ${streamEnd}, but without a finish reason, so nothing says that the answer is whole; \`streams: lenient\` accepts such streams`;
    return { issue: 'stream-truncated', detail: detail + this.#strayText() };
  }

  #strayText(): string {
    const text = this.#stray.trim();
    return text === '' ? '' : `; the server also wrote: ${excerpt(text, this.context.redact)}`;
  }

  #tokens(): TokenCounts {
    const events = this.#times.count;
    if (this.#usage === null) return { input: null, output: events, source: 'events' };
    const { input, output, classes, isOdd, isOff, isBeyondText } = this.#usage;
    if (isOdd) this.#note('usage-unreadable');
    if (isOff) this.#note('usage-total');
    const isZero = output === 0 && events > 0;
    if (isZero) this.#note('usage-zero');
    if (output === null || isZero) return { input, output: events, source: 'events' };
    const written = isBeyondText === true ? Number.NaN : this.#written;
    return withMost(countedTokens(input, output, classes), written, this.#finishes.size);
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
