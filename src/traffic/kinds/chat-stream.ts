import { jsonIn, pythonDictionaryIn } from '../answer/json-text.ts';
import type { ChatStreamAnswer, Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import { streamEnd } from '../../contract/chat.ts';
import type { Expectation } from '../../model/workload/expectation.ts';
import {
  describeMiss,
  missedOutcome,
  prepareExpectation,
  type WrittenChoice,
} from '../answer/check-expectation.ts';
import { StreamedChoices } from '../answer/written-choices.ts';
import { SseReader } from '../stream/sse-reader.ts';
import { chatRequest } from '../request/chat-request.ts';
import { EventStreamReader, maxEventBytes } from '../stream/event-stream.ts';
import type { TrafficHandler, TargetMemory, ReadingContext } from '../traffic-handler.ts';
import { errorInsteadOf, htmlInsteadOf, readChatError } from '../answer/read-refusal.ts';
import {
  type BodyReader,
  collectBody,
  type CollectedBody,
  malformed,
  readTimedResponse,
  withinMemory,
} from '../answer/response-reader.ts';

/** Handles streamed chat completions (interface, section 4.1). */
export const chatStream: TrafficHandler<'chat-stream'> = {
  prepare: (traffic, prepareContext) => {
    const { prompt, prepared } = chatRequest(traffic, prepareContext);
    const { price, expect } = traffic;
    if (expect !== undefined) prepareExpectation(expect);
    return {
      ...prepared,
      read: (context) =>
        readTimedResponse(
          context,
          'the stream',
          (headers) => {
            const stream = new SniffedStream({ ...context, headers, price, prompt });
            return expect === undefined
              ? stream
              : withinMemory(context.targetMemory, new CheckedStream(stream, expect));
          },
          (outcome) => learnUsageSupport(context.targetMemory, outcome),
        ),
    };
  },
};

/** The bytes that may come before an event stream or before JSON: white space and a byte order mark. */
const leadingBytes = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
/** A body that begins with one of these bytes is JSON or HTML and not an event stream. */
const wholeBodyBegins = new Set(['{', '[', '<'].map((character) => character.charCodeAt(0)));

const maxKeptBytes = 64 * 1024;

/**
 * Returns the error in a body of several JSON lines, which some servers stream in their own API; `null` if no line
 * contains an error.
 */
const errorInLines = (
  json: unknown,
  text: string,
  redact: ReadingContext['redact'],
): string | null => {
  if (json !== undefined) return null;
  const errors = text
    .split('\n')
    .map((line) => readChatError(jsonIn(line) ?? pythonDictionaryIn(line), redact));
  const found = errors.find((each) => each !== null) ?? null;
  return found === null
    ? null
    : `lines of JSON were returned instead of a stream, with an error: ${found}`;
};

/** Describes a 2xx body that is not the requested event stream. The body begins with a brace, a bracket or a tag. */
const describeNoStream = (
  { bytes, isTruncated }: CollectedBody,
  redact: ReadingContext['redact'],
): Outcome => {
  const text = bytes.toString('utf8');
  const html = htmlInsteadOf('a stream', text, redact);
  if (html !== null) return malformed('content-type', html);
  const json = jsonIn(text);
  const error = errorInsteadOf('a stream', json, redact) ?? errorInLines(json, text, redact);
  if (error !== null) return malformed('stream-error', error);
  const isCompletion = isTruncated
    ? /"choices"\s*:/.test(text)
    : typeof json === 'object' && json !== null && 'choices' in json;
  const what = isCompletion ? 'a whole chat completion' : 'a body that is not an event stream';
  const hint = isCompletion ? '; the target does not honour `stream: true`' : '';
  return malformed('content-type', `${what} was returned instead of a stream${hint}`);
};

/**
 * Reads a stream, but decides by the first byte of the body whether the body is an event stream. Content types are not
 * reliable: some servers label errors as event streams, and streams as text. The first byte is reliable: no meaningful
 * line of an event stream begins with a brace, a bracket or a tag.
 */
class SniffedStream extends EventStreamReader {
  #instead: BodyReader | null = null;
  #isDecided = false;

  override onBytes(at: Instant, bytes: Uint8Array): void {
    const first = this.#isDecided ? -1 : bytes.findIndex((byte) => !leadingBytes.has(byte));
    this.#isDecided ||= first !== -1;
    if (first !== -1 && wholeBodyBegins.has(bytes[first]!)) {
      const { redact } = this.context;
      this.#instead = collectBody(maxKeptBytes, (body) => describeNoStream(body, redact));
      this.#instead.onBytes(at, bytes.subarray(first));
    } else if (this.#instead === null) {
      super.onBytes(at, bytes);
    } else {
      this.#instead.onBytes(at, bytes);
    }
  }

  override outcome(isTruncated: boolean): Outcome {
    return this.#instead?.outcome(isTruncated) ?? super.outcome(isTruncated);
  }

  override partial(): ChatStreamAnswer | null {
    return this.#instead === null ? super.partial() : null;
  }

  override get isAnswering(): boolean {
    return this.#instead !== null || super.isAnswering;
  }
}

/** Stores the bytes of a stream, and checks its text only when the stream has ended, so that no token is read late. */
class CheckedStream implements BodyReader {
  readonly #stream: SniffedStream;
  readonly #expect: Expectation;
  readonly #kept: Uint8Array[] = [];

  constructor(stream: SniffedStream, expect: Expectation) {
    this.#stream = stream;
    this.#expect = expect;
  }

  get tokenEvents(): number {
    return this.#stream.tokenEvents;
  }

  get isAnswering(): boolean {
    return this.#stream.isAnswering;
  }

  get isComplete(): boolean {
    return this.#stream.isComplete;
  }

  get abortReason(): BodyReader['abortReason'] {
    return this.#stream.abortReason;
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#stream.onBytes(at, bytes);
    // The bytes are copied, because they are valid only during the call. A Buffer's `slice` would not copy them.
    this.#kept.push(Buffer.from(bytes));
  }

  outcome(isTruncated: boolean): Outcome {
    const outcome = this.#stream.outcome(isTruncated);
    if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream') return outcome;
    const { answer } = outcome;
    return missedOutcome(answer, describeMiss(this.#expect, this.#choices(), answer.finish));
  }

  partial(): ChatStreamAnswer | null {
    return this.#stream.partial();
  }

  #choices(): readonly WrittenChoice[] {
    const choices = new StreamedChoices();
    let isDone = false;
    const reader = new SseReader(
      {
        onEvent: (_, bytes, start, end) => {
          const data = bytes.toString('utf8', start, end);
          isDone ||= data.trim() === streamEnd;
          if (!isDone) choices.add(data);
        },
        onComment: () => undefined,
        onTooLong: () => undefined,
      },
      maxEventBytes,
    );
    for (const bytes of this.#kept) reader.feed(bytes);
    return choices.toArray();
  }
}

/** The statuses with which servers refuse an unknown field. The gateway's framework uses 422. */
const fieldRefusalStatuses: ReadonlySet<number> = new Set([400, 422]);
/** Matches the names of the request fields that ask for usage. */
const usageFieldPattern = /stream_options|include_usage/i;

/**
 * Learns whether the target accepts `stream_options`, which is not in the interface. Streams stop asking for usage if
 * the target names this field in a refusal, or if it refuses a stream before any stream has completed.
 */
const learnUsageSupport = (memory: TargetMemory, outcome: Outcome): void => {
  if (outcome.kind === 'completed' && memory.usage === 'untried') memory.usage = 'accepted';
  if (outcome.kind !== 'refused' || memory.usage === 'refused') return;
  const { status, message } = outcome.refusal;
  if (!fieldRefusalStatuses.has(status)) return;
  if (memory.usage === 'accepted' && !usageFieldPattern.test(message)) return;
  memory.usage = 'refused';
  memory.notes.add(
    `The target answered ${status} to a stream that asked for token usage (stream_options.include_usage), so the rest of the run does not ask for it; where the target reports no usage, tokens are counted by events.`,
  );
};
