import { readLimitHeaders } from '../contract/limit-headers.ts';
import type { BrokenCause } from '../model/exchange.ts';
import type { Answer, MalformedIssue, Outcome, ResponseHead } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { decoded, encodingOf } from './encoding.ts';
import { Gathered } from './gathered.ts';
import type { AnswerReader, Hint, ReadingContext } from './kind.ts';
import { keptOfRefusal, readRefusal } from './refusal.ts';
import { readHint } from './retry-hint.ts';

export type Headers = Readonly<Record<string, string>>;
export type Verdict = NonNullable<AnswerReader['verdict']>;

/** Reads the body of a 2xx response. The head, the cap on bytes and refusals are read for it. */
export interface BodyReader {
  /** Bytes of one read, at least one; valid during the call only. */
  onBytes(at: Instant, bytes: Uint8Array): void;
  /** The outcome of a body that ended properly, or was `complete` before it was `cut`. */
  outcome(cut: boolean): Outcome;
  /** What had come, if the answer breaks off here. */
  partial(): Answer | null;
  readonly answering: boolean;
  readonly complete: boolean;
  readonly verdict: Verdict | null;
}

/** The outcome of a 2xx answer that breaks the contract. */
export const malformed = (
  issue: MalformedIssue,
  detail: string,
  partial: Answer | null = null,
): Outcome => ({ kind: 'malformed', issue, detail, partial });

/** Headers by which servers name a request, in the order of preference. */
const idHeaders = ['x-request-id', 'request-id', 'x-litellm-call-id', 'cf-ray'] as const;
const longestId = 128;
const longestRetryAfter = 64;

/** What the kept part of a compressed refusal may unfold to. */
const largestDecoded = 1024 * 1024;

const headOf = (
  at: Instant,
  status: number,
  headers: Headers,
  redactId: ReadingContext['redactId'],
): ResponseHead => {
  const name = idHeaders.find((header) => headers[header] !== undefined);
  return {
    at,
    status,
    quota: readLimitHeaders(headers),
    serverId: name === undefined ? null : redactId(headers[name] ?? '').slice(0, longestId),
  };
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Gathers the body of a refused request, bounded, and tells the outcome. */
class RefusalReader implements BodyReader {
  /** Known once the outcome was told. */
  hint: Hint | null = null;
  readonly answering = true;
  readonly complete = false;
  readonly verdict = null;
  readonly #status: number;
  readonly #headers: Headers;
  readonly #redact: ReadingContext['redact'];
  readonly #body = new Gathered(keptOfRefusal);

  constructor(status: number, headers: Headers, redact: ReadingContext['redact']) {
    this.#status = status;
    this.#headers = headers;
    this.#redact = redact;
  }

  onBytes(_at: Instant, bytes: Uint8Array): void {
    this.#body.append(bytes);
  }

  outcome(): Outcome {
    const encoding = encodingOf(this.#headers);
    const bytes = decoded(this.#body.bytes(), encoding, largestDecoded);
    const text = bytes?.toString('utf8') ?? `a body in the content encoding ${encoding}`;
    this.hint = readHint({ status: this.#status, headers: this.#headers, body: text });
    const refusal = readRefusal(this.#status, { text, cut: this.#body.cut }, this.#redact);
    return this.#status === 429
      ? { kind: 'limited', refusal, retryAfter: this.#retryAfter() }
      : { kind: 'refused', refusal };
  }

  partial(): null {
    return null;
  }

  #retryAfter(): string | null {
    const said = this.#headers['retry-after'];
    return said === undefined ? null : this.#redact(said).slice(0, longestRetryAfter);
  }
}

class ResponseReader implements AnswerReader {
  head: ResponseHead | null = null;
  readonly #context: ReadingContext;
  readonly #open: (headers: Headers) => BodyReader;
  readonly #learn: (outcome: Outcome) => void;
  #body: BodyReader | null = null;
  #refusal: RefusalReader | null = null;
  #bytes = 0;
  #tooLarge: Verdict | null = null;

  constructor(
    context: ReadingContext,
    open: (headers: Headers) => BodyReader,
    learn: (outcome: Outcome) => void,
  ) {
    this.#context = context;
    this.#open = open;
    this.#learn = learn;
  }

  onHeaders(at: Instant, status: number, headers: Headers): void {
    this.head = headOf(at, status, headers, this.#context.redactId);
    this.#refusal = isSuccess(status)
      ? null
      : new RefusalReader(status, headers, this.#context.redact);
    this.#body = this.#refusal ?? this.#open(headers);
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    const room = this.#context.caps.bytes - this.#bytes;
    this.#bytes += bytes.length;
    // The bytes below the cap are still read, so that the outcome does not hang on how reads were cut.
    const within = bytes.length > room ? bytes.subarray(0, Math.max(0, room)) : bytes;
    if (within.length > 0) this.#body?.onBytes(at, within);
    if (bytes.length > room) {
      const detail = `the answer is longer than ${this.#context.caps.bytes} bytes; raise the cap on bytes if answers may be that long`;
      this.#tooLarge ??= { cause: 'too-large', detail };
    }
  }

  ended(at: Instant): Outcome {
    const verdict = this.verdict;
    return verdict === null
      ? this.#told(this.#opened().outcome(false))
      : this.failed(at, verdict.cause, verdict.detail);
  }

  failed(_at: Instant, cause: BrokenCause, detail: string): Outcome {
    const isRefused = this.head !== null && !isSuccess(this.head.status);
    return isRefused || this.complete
      ? this.#told(this.#opened().outcome(true))
      : { kind: 'broken', cause, detail, partial: this.#body?.partial() ?? null };
  }

  get hint(): Hint | null {
    return this.#refusal?.hint ?? null;
  }

  get answering(): boolean {
    return this.#body !== null && this.#bytes > 0 && this.#body.answering;
  }

  get complete(): boolean {
    return this.#body?.complete === true;
  }

  get verdict(): Verdict | null {
    return this.#body?.verdict ?? this.#tooLarge;
  }

  #opened(): BodyReader {
    if (this.#body === null) throw new Error('a response ended before its head came');
    return this.#body;
  }

  #told(outcome: Outcome): Outcome {
    this.#learn(outcome);
    return outcome;
  }
}

/**
 * The reader of one response. `open` makes the reader of a 2xx body; `learn` is shown the outcome
 * of every response that got as far as one of its own.
 */
export const readResponse = (
  context: ReadingContext,
  open: (headers: Headers) => BodyReader,
  learn: (outcome: Outcome) => void = () => {},
): AnswerReader => new ResponseReader(context, open, learn);
