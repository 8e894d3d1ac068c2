import type { BrokenCause, WireRequest } from '../../../model/observation/exchange.ts';
import { excerpt, looksLikeHtml, readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import { maskEchoes } from '../../../traffic/answer/mask-echoes.ts';

/** One answer of the target, complete or as far as it came. */
export interface ReceivedAnswer {
  /** The status; `null` if no head came. */
  readonly status: number | null;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body, at most as many bytes as were requested. */
  readonly body: Buffer;
  /** The compression that was used although none was requested. */
  readonly encoding: string | null;
  /** The reason why the answer is incomplete. */
  readonly failure: { readonly cause: BrokenCause; readonly detail: string } | null;
  /** Whether a shortened deadline ended it because earlier answers were too slow. Such an answer decides nothing. */
  readonly isCutShort?: boolean;
  /** Whether a stream's connection stayed open after its last line. */
  readonly isLeftOpen: boolean;
  /** The time that it took, in ms. */
  readonly took: number;
}

export const isDeadline = ({ failure }: ReceivedAnswer): boolean =>
  failure?.cause.startsWith('deadline') === true;

/**
 * The maximum number of JSON values. Ten thousand models have fewer; parsed, these take some megabytes, and all
 * documents are kept.
 */
const maxValues = 50_000;

/**
 * Replaces control characters, and characters that change the order of others, by their numbers, so that a report does
 * not obey them.
 */
const escaped = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** An answer with its request. It is read as JSON when that is requested. */
export class CheckAnswer {
  readonly received: ReceivedAnswer;
  readonly requestId: string;
  /** The further finish reasons that fail an answer, by the scenario. */
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

  /** Returns the document; `undefined` if the body is not JSON. */
  get json(): unknown {
    this.#json ??= { value: jsonIn(this.text, maxValues) };
    return this.#json.value;
  }

  get contentType(): string {
    return (this.received.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  }

  /** Prepares a text of the server for a report: masked, folded and truncated. */
  quote(text: string, most = 120): string {
    const masked = escaped(excerpt(text, this.#redact));
    return masked.length <= most ? masked : `${masked.slice(0, most)}…`;
  }

  /** Returns the message of an error body, or a description of the body, for a report. */
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
