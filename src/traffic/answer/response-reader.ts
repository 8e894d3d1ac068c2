import type {
  Answer,
  LimitedOutcome,
  MalformedIssue,
  Outcome,
  Refusal,
  ResponseHead,
} from '../../model/observation/outcome.ts';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import { type Instant, longestRun, type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { decodeBody, encodingOf } from './content-encoding.ts';
import { ByteBuffer } from './byte-buffer.ts';
import {
  type AnswerReader,
  maxCollectedBytes,
  type ReadingContext,
  type RetryHint,
  type TargetMemory,
} from '../traffic-handler.ts';
import { maxRefusalBytes, readRefusal } from './read-refusal.ts';
import { type AssumedLimit, readDeclaredLimits } from '../limits/declared-limits.ts';
import { readRefusedLimit, readRetryAfter } from '../limits/retry-after.ts';
import { dateOf } from '../limits/wait-text.ts';
import { readRetryHint } from './retry-hint.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;
export type AbortReason = NonNullable<AnswerReader['abortReason']>;

/** Reads the body of a 2xx response. The caller handles the head, the maximum size, and refusals. */
export interface BodyReader {
  /** Receives the bytes of one read. A read has at least one byte. The bytes are valid only during the call. */
  onBytes(at: Instant, bytes: Uint8Array): void;
  /** Returns the outcome of a body that ended properly, or of a complete body whose exchange was aborted. */
  outcome(isTruncated: boolean): Outcome;
  /**
   * Returns the part of an answer that was received before the answer broke off; `null` if no part can be described.
   */
  partial(): Answer | null;
  /** The number of token events that were read; absent if a body of this kind has no token events. */
  readonly tokenEvents?: number;
  readonly isAnswering: boolean;
  readonly isComplete: boolean;
  readonly abortReason: AbortReason | null;
}

/** Returns the outcome of a 2xx answer that violates the interface. */
export const malformed = (
  issue: MalformedIssue,
  detail: string,
  partial: Answer | null = null,
): Outcome => ({ kind: 'malformed', issue, detail, partial });

/** Servers send the id of a request in one of these headers. The first header that is present is used. */
const idHeaders = ['x-request-id', 'request-id', 'x-litellm-call-id', 'cf-ray'] as const;
/** The maximum length of a request id, in characters. */
const maxIdLength = 128;

/** A compressed refusal that has more than this many bytes after decoding is not read. */
const maxDecodedBytes = 1024 * 1024;

const serverIdIn = (headers: ResponseHeaders, { redactId }: ReadingContext): string | null => {
  const name = idHeaders.find((header) => headers[header] !== undefined);
  return name === undefined ? null : redactId(headers[name] ?? '').slice(0, maxIdLength);
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The received part of the body of an answer that is not a stream. Bytes beyond the limit are not stored. */
export interface CollectedBody {
  readonly bytes: Buffer;
  readonly isTruncated: boolean;
  readonly firstByte: Instant | null;
}

/** Collects up to `limit` bytes of a body. When the body has ended, `interpret` reads the bytes. */
export const collectBody = (
  limit: number,
  interpret: (body: CollectedBody) => Outcome,
): BodyReader => {
  const body = new ByteBuffer(limit);
  let firstByte: Instant | null = null;
  return {
    isAnswering: true,
    isComplete: false,
    abortReason: null,
    onBytes: (at, bytes) => {
      firstByte ??= at;
      body.append(bytes);
    },
    outcome: () => interpret({ bytes: body.bytes(), isTruncated: body.isTruncated, firstByte }),
    partial: () => null,
  };
};

const noRoom: AbortReason = {
  cause: 'too-large',
  detail: `the answers that were being read at the same time held more than ${maxCollectedBytes / 1024 / 1024} MiB; lower the rate, or the cap on bytes`,
};

/**
 * Limits the memory of all answers that a slice collects. This is a class, because V8 puts the getters of an object
 * literal into its old generation, where they would keep the whole answer in memory for longer.
 */
class SharedMemoryReader implements BodyReader {
  readonly #memory: TargetMemory;
  readonly #inner: BodyReader;
  #held = 0;
  #noRoom: AbortReason | null = null;

  constructor(memory: TargetMemory, inner: BodyReader) {
    this.#memory = memory;
    this.#inner = inner;
  }

  get isAnswering(): boolean {
    return this.#inner.isAnswering;
  }

  get isComplete(): boolean {
    return this.#inner.isComplete;
  }

  get abortReason(): AbortReason | null {
    return this.#noRoom ?? this.#inner.abortReason;
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    if (this.#memory.collectedBytes + bytes.length > maxCollectedBytes) this.#noRoom ??= noRoom;
    if (this.#noRoom !== null) return;
    this.#held += bytes.length;
    this.#memory.collectedBytes += bytes.length;
    this.#inner.onBytes(at, bytes);
  }

  outcome(isTruncated: boolean): Outcome {
    this.#release();
    return this.#inner.outcome(isTruncated);
  }

  partial(): Answer | null {
    this.#release();
    return this.#inner.partial();
  }

  #release(): void {
    this.#memory.collectedBytes -= this.#held;
    this.#held = 0;
  }
}

/**
 * Counts the bytes that `inner` collects, together with the bytes of all other answers of the slice. If the sum would
 * exceed the maximum, the answer is aborted.
 */
export const withinMemory = (memory: TargetMemory, inner: BodyReader): BodyReader =>
  new SharedMemoryReader(memory, inner);

/**
 * Limits a wait, in ms, to the values that results can store: from 0 to the longest run. A server may name any wait.
 */
const storedWait = (wait: number): Milliseconds =>
  milliseconds(Math.max(0, Math.min(wait, longestRun)));

const limitDetails = (
  headers: ResponseHeaders,
  { message }: Refusal,
): Pick<LimitedOutcome, 'unit' | 'retryAfter' | 'resetIn'> => {
  const { unit, resetAt } = readRefusedLimit(message);
  const date = dateOf(headers);
  const retryAfter = readRetryAfter(headers, Number.NaN)?.wait ?? null;
  return {
    unit,
    retryAfter: retryAfter === null ? null : storedWait(retryAfter),
    resetIn: resetAt === null || date === null ? null : storedWait(resetAt - date),
  };
};

/**
 * Adds a note about limits per hour or day. The ledger of a run cannot store such limits. The note is added only once.
 */
const noteLongerLimits = (longer: readonly string[], { targetMemory }: ReadingContext): void => {
  if (targetMemory.hasLongerLimits === true) return;
  targetMemory.hasLongerLimits = true;
  targetMemory.notes.add(
    `The headers of the answers also declare limits of longer times: ${longer.join(', ')}.`,
  );
};

/**
 * Adds a note about limits whose windows the headers do not name. Such limits count as limits per minute, and the run
 * compares such limits with the limits of its plan. The note is added only once.
 */
const noteAssumedLimits = (
  assumed: readonly AssumedLimit[],
  { targetMemory }: ReadingContext,
): void => {
  if (targetMemory.hasAssumedLimits === true) return;
  targetMemory.hasAssumedLimits = true;
  targetMemory.notes.add(
    `The headers of the answers declare ${assumed.map(({ text }) => text).join(' and ')} and name no time: a minute is assumed.`,
  );
};

class ResponseReader implements AnswerReader {
  head: ResponseHead | null = null;
  retryHint: RetryHint | null = null;
  readonly #context: ReadingContext;
  readonly #open: (headers: ResponseHeaders) => BodyReader;
  readonly #learn: (outcome: Outcome) => void;
  #body: BodyReader | null = null;
  bytes = 0;
  #tooLarge: AbortReason | null = null;

  constructor(
    context: ReadingContext,
    open: (headers: ResponseHeaders) => BodyReader,
    learn: (outcome: Outcome) => void,
  ) {
    this.#context = context;
    this.#open = open;
    this.#learn = learn;
  }

  onHeaders(at: Instant, status: number, headers: ResponseHeaders): void {
    const serverId = serverIdIn(headers, this.#context);
    const limits = readDeclaredLimits(headers);
    this.head = { at, status, quota: limits?.quota ?? null, serverId };
    if (limits !== null && limits.longer.length > 0) noteLongerLimits(limits.longer, this.#context);
    if (limits !== null && limits.assumed.length > 0)
      noteAssumedLimits(limits.assumed, this.#context);
    this.#body = isSuccess(status)
      ? this.#open(headers)
      : collectBody(maxRefusalBytes, (body) => this.#refused(status, headers, body));
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    const remainingBytes = this.#context.caps.bytes - this.bytes;
    this.bytes += bytes.length;
    // The bytes up to the maximum are still read, so the outcome does not depend on how the body is divided into reads.
    const within =
      bytes.length > remainingBytes ? bytes.subarray(0, Math.max(0, remainingBytes)) : bytes;
    if (within.length > 0) this.#body?.onBytes(at, within);
    if (bytes.length > remainingBytes) {
      const detail = `the answer is longer than ${this.#context.caps.bytes} bytes; raise the cap on bytes if answers may be that long`;
      this.#tooLarge ??= { cause: 'too-large', detail };
    }
  }

  ended(at: Instant): Outcome {
    const { abortReason } = this;
    return abortReason === null
      ? this.#outcome(false)
      : this.failed(at, abortReason.cause, abortReason.detail);
  }

  failed(_at: Instant, cause: BrokenCause, detail: string): Outcome {
    const isRefused = this.head !== null && !isSuccess(this.head.status);
    return isRefused || this.isComplete
      ? this.#outcome(true)
      : { kind: 'broken', cause, detail, partial: this.#body?.partial() ?? null };
  }

  get tokenEvents(): number {
    return this.#body?.tokenEvents ?? 0;
  }

  get isAnswering(): boolean {
    return this.#body !== null && this.bytes > 0 && this.#body.isAnswering;
  }

  get isComplete(): boolean {
    return this.#body?.isComplete === true;
  }

  get abortReason(): AbortReason | null {
    return this.#body?.abortReason ?? this.#tooLarge;
  }

  #refused(status: number, headers: ResponseHeaders, body: CollectedBody): Outcome {
    const encoding = encodingOf(headers);
    const text =
      decodeBody(body.bytes, encoding, maxDecodedBytes)?.toString('utf8') ??
      `a body in the content encoding ${encoding}`;
    this.retryHint = readRetryHint({ status, headers, body: text });
    const { isTruncated } = body;
    const kept = { text, isTruncated, location: headers['location'] };
    const refusal = readRefusal(status, kept, this.#context.redact);
    return status === 429
      ? { kind: 'limited', refusal, ...limitDetails(headers, refusal) }
      : { kind: 'refused', refusal };
  }

  #outcome(isTruncated: boolean): Outcome {
    if (this.#body === null) throw new Error('a response ended before its head came');
    const outcome = this.#body.outcome(isTruncated);
    this.#learn(outcome);
    return outcome;
  }
}

/**
 * Reads one response. `open` creates the reader of a 2xx body. `learn` receives the outcome of the response; if a 2xx
 * response breaks off, `learn` is not called.
 */
export const readResponse = (
  context: ReadingContext,
  open: (headers: ResponseHeaders) => BodyReader,
  learn: (outcome: Outcome) => void = () => {},
): AnswerReader => new ResponseReader(context, open, learn);

/**
 * Reads one response like `readResponse`, but rejects a compressed body. Its parts arrive when the compressor finishes
 * a block, not when the server wrote them, so their times would be wrong. `name` is the name of the body in sentences,
 * for example `the stream`.
 */
export const readTimedResponse = (
  context: ReadingContext,
  name: string,
  open: (headers: ResponseHeaders) => BodyReader,
  learn?: (outcome: Outcome) => void,
): AnswerReader => {
  const openUncompressed = (headers: ResponseHeaders): BodyReader => {
    const encoding = encodingOf(headers);
    if (encoding === null) return open(headers);
    const detail = `the server sent ${name} in the content encoding ${encoding} although identity was requested; compression blurs the measured instants: switch it off for these answers`;
    return { ...collectBody(0, () => malformed('content-type', detail)), isComplete: true };
  };
  return readResponse(context, openUncompressed, learn);
};
