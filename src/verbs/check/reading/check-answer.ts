import type { BrokenCause, WireRequest } from '../../../model/observation/exchange.ts';
import { excerpt, looksLikeHtml, readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { maskEchoes } from '../../../traffic/answer/mask-echoes.ts';

/** An answer of the target: the whole answer, or the part that arrived. */
export interface ReceivedAnswer {
  /** The HTTP status; `null` if no response head came. */
  readonly status: number | null;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body. It has a maximum size, which depends on the request. */
  readonly body: Buffer;
  /** How the body was compressed, although the request asked for no compression; `null` if it was not. */
  readonly encoding: string | null;
  /** The reason why the answer is incomplete; `null` if the answer is complete. */
  readonly failure: { readonly cause: BrokenCause; readonly detail: string } | null;
  /**
   * Whether a shortened deadline ended the answer. Deadlines are shortened after several answers were too slow. An
   * answer that a shortened deadline ended proves nothing.
   */
  readonly isCutShort?: boolean;
  /** Whether a stream's connection stayed open after the stream's last line. */
  readonly isLeftOpen: boolean;
  /** The duration of the answer, in ms. */
  readonly took: number;
}

export const isDeadline = ({ failure }: ReceivedAnswer): boolean =>
  failure?.cause.startsWith('deadline') === true;

/**
 * The maximum number of values in a JSON body. A list of ten thousand models has fewer values. The values of all
 * answers stay in memory, where a body with the maximum number takes some megabytes.
 */
const maxValues = 50_000;

/**
 * Replaces control characters, and characters that reverse the order of text, by their numbers. Such characters would
 * make a report look wrong.
 */
const escaped = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** An answer together with its request. The JSON of the answer is parsed at the first use. */
export class CheckAnswer {
  readonly received: ReceivedAnswer;
  readonly requestId: string;
  /** Further finish reasons that make an answer a failure, according to the scenario. */
  readonly fails: readonly string[];
  readonly #redact: (text: string) => string;
  #json: { readonly value: unknown } | null = null;
  #text: string | null = null;

  constructor(
    requestId: string,
    received: ReceivedAnswer,
    request: WireRequest,
    redact: (text: string) => string,
    fails: readonly string[] = [],
  ) {
    this.requestId = requestId;
    this.fails = fails;
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

  /** Returns the body as JSON; `undefined` if the body is not JSON. */
  get json(): unknown {
    this.#json ??= { value: jsonIn(this.text, maxValues) };
    return this.#json.value;
  }

  get contentType(): string {
    return (this.received.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  }

  /**
   * Prepares a text from the server for a report: secrets are masked, white space is reduced, and the text is
   * shortened.
   */
  quote(text: string, most = 120): string {
    const masked = escaped(excerpt(text, this.#redact));
    return masked.length <= most ? masked : `${masked.slice(0, most)}…`;
  }

  /** Returns the message of an error body for a report. Without such a message, returns a description of the body. */
  get message(): string {
    const error = readErrorBody(this.json, this.#redact);
    if (error !== null) return this.quote(error.message);
    if (looksLikeHtml(this.text)) return 'an HTML page';
    const own = (this.json as { readonly message?: unknown } | null | undefined)?.message;
    if (typeof own === 'string' && own !== '') return this.quote(own);
    return this.text.trim() === '' ? 'an empty body' : 'a body that is no error';
  }

  /** Returns `status 400: …`, or the reason why there is no answer. */
  get summary(): string {
    const { failure, status } = this.received;
    if (failure !== null) {
      const head = status === null ? '' : `status ${status}, then `;
      return `${head}${failure.cause}: ${this.quote(failure.detail)}`;
    }
    return status === 200 ? 'status 200' : `status ${status}: ${this.message}`;
  }
}
