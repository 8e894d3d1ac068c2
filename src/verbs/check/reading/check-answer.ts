import type { BrokenCause, WireRequest } from '../../../model/observation/exchange.ts';
import { excerpt, looksLikeHtml, readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { maskEchoes } from '../../../traffic/answer/mask-echoes.ts';

/** One answer of the target, whole or as far as it came. */
export interface ReceivedAnswer {
  /** `null` if no head came. */
  readonly status: number | null;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded, at most as many bytes as were wanted. */
  readonly body: Buffer;
  /** The compression that was used although none was asked for. */
  readonly encoding: string | null;
  /** Why it is not whole. */
  readonly failure: { readonly cause: BrokenCause; readonly detail: string } | null;
  /** Whether a deadline ended it that is shorter than usual, since answers before had been too slow: it decides nothing. */
  readonly isCutShort?: boolean;
  /** Whether a stream's connection stayed open after its last line. */
  readonly isLeftOpen: boolean;
  /** In ms. */
  readonly took: number;
}

export const isDeadline = ({ failure }: ReceivedAnswer): boolean =>
  failure?.cause.startsWith('deadline') === true;

/** Ten thousand models have fewer; parsed, these take some megabytes, and the documents of all answers are kept. */
const maxValues = 50_000;

/** Writes control characters, and those that change the order of others, as their numbers: a report must not obey them. */
const escaped = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** An answer with its request, read as JSON when that is asked for. */
export class CheckAnswer {
  readonly received: ReceivedAnswer;
  readonly requestId: string;
  readonly #redact: (text: string) => string;
  #json: { readonly value: unknown } | null = null;
  #text: string | null = null;

  constructor(
    requestId: string,
    received: ReceivedAnswer,
    request: WireRequest,
    redact: (text: string) => string,
  ) {
    this.requestId = requestId;
    this.received = received;
    const isText = request.headers['content-type'] === 'application/json';
    const isJson = isText && jsonIn(Buffer.from(request.body ?? []).toString('utf8')) !== undefined;
    this.#redact = isJson ? maskEchoes(request, redact) : redact;
  }

  get status(): number | null {
    return this.received.status;
  }

  get text(): string {
    this.#text ??= this.received.body.toString('utf8');
    return this.#text;
  }

  /** The document; undefined if the body is not JSON. */
  get json(): unknown {
    this.#json ??= { value: jsonIn(this.text, maxValues) };
    return this.#json.value;
  }

  get contentType(): string {
    return (this.received.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  }

  /** A text of the server for a report: masked, folded and cut. */
  quote(text: string, most = 120): string {
    const masked = escaped(excerpt(text, this.#redact));
    return masked.length <= most ? masked : `${masked.slice(0, most)}…`;
  }

  /** The message of an error body, or what the body is; for a report. */
  get message(): string {
    const error = readErrorBody(this.json, this.#redact);
    if (error !== null) return this.quote(error.message);
    if (looksLikeHtml(this.text)) return 'an HTML page';
    const own = (this.json as { readonly message?: unknown } | null | undefined)?.message;
    if (typeof own === 'string' && own !== '') return this.quote(own);
    return this.text.trim() === '' ? 'an empty body' : 'a body that is no error';
  }

  /** `status 400: …`, or why there is no answer. */
  get summary(): string {
    const { failure, status } = this.received;
    if (failure !== null) {
      const head = status === null ? '' : `status ${status}, then `;
      return `${head}${failure.cause}: ${this.quote(failure.detail)}`;
    }
    return status === 200 ? 'status 200' : `status ${status}: ${this.message}`;
  }
}
