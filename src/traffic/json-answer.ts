import type { Answer, Outcome } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { decoded, encodingOf } from './encoding.ts';
import { excerpt } from './excerpt.ts';
import { Gathered } from './gathered.ts';
import type { AnswerReader, ReadingContext } from './kind.ts';
import { htmlTitle, looksLikeHtml, readErrorBody } from './refusal.ts';
import { type BodyReader, type Headers, malformed, readResponse } from './response.ts';
import { type ShapeError, shapeProblems } from './shape.ts';

/** The part of a contract's schema that reading needs. */
interface Schema<T> {
  safeParse(
    json: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: ShapeError };
}

/** What a kind whose answer is one JSON document expects of it. */
export interface JsonAnswer<T> {
  /** What the document is called in sentences, for example `a model list`. */
  readonly name: string;
  readonly schema: Schema<T>;
  /** The answer, or a sentence that says how a document of the right shape breaks the contract. */
  readonly answer: (document: T, firstByte: Instant) => Answer | string;
}

/** The reader of a response whose 2xx body is one JSON document. */
export const readJson = <T>(context: ReadingContext, expected: JsonAnswer<T>): AnswerReader =>
  readResponse(context, (headers) => new JsonReader(context, headers, expected));

class JsonReader<T> implements BodyReader {
  readonly complete = false;
  readonly verdict = null;
  readonly answering = true;
  readonly #context: ReadingContext;
  readonly #headers: Headers;
  readonly #expected: JsonAnswer<T>;
  readonly #body: Gathered;
  #firstByte: Instant | null = null;

  constructor(context: ReadingContext, headers: Headers, expected: JsonAnswer<T>) {
    this.#context = context;
    this.#headers = headers;
    this.#expected = expected;
    this.#body = new Gathered(context.caps.bytes);
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#firstByte ??= at;
    this.#body.append(bytes);
  }

  outcome(): Outcome {
    const { name } = this.#expected;
    const firstByte = this.#firstByte;
    if (firstByte === null) return malformed('empty', `the body is empty; ${name} was expected`);
    const text = this.#text();
    if (text === null) {
      const encoding = encodingOf(this.#headers);
      const detail = `the body cannot be read in its content encoding ${encoding}; identity was asked`;
      return malformed('content-type', detail);
    }
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return this.#notJson(text);
    }
    this.#noteLabels();
    const error = readErrorBody(json, this.#context.redact);
    if (error !== null) {
      return malformed('shape', `a JSON error came in place of ${name}: ${error.message}`);
    }
    const parsed = this.#expected.schema.safeParse(json);
    if (!parsed.success) {
      return malformed('shape', `the body is not ${name}: ${shapeProblems(parsed.error)}`);
    }
    const answer = this.#expected.answer(parsed.data, firstByte);
    return typeof answer === 'string' ? malformed('shape', answer) : { kind: 'completed', answer };
  }

  partial(): null {
    return null;
  }

  #text(): string | null {
    const bytes = decoded(this.#body.bytes(), encodingOf(this.#headers), this.#context.caps.bytes);
    return bytes?.toString('utf8').replace(/^\ufeff/, '') ?? null;
  }

  #notJson(text: string): Outcome {
    const { name } = this.#expected;
    if (text.trim() === '') return malformed('empty', `the body is blank; ${name} was expected`);
    if (looksLikeHtml(text)) {
      const title = excerpt(htmlTitle(text), this.#context.redact);
      return malformed('content-type', `an HTML page came in place of ${name}: ${title}`);
    }
    return isJsonLabel(this.#headers)
      ? malformed(
          'not-json',
          `the body is labelled JSON and cannot be parsed; ${name} was expected`,
        )
      : malformed(
          'content-type',
          `the body is neither labelled JSON nor is it; ${name} was expected`,
        );
  }

  /** What is odd and tolerated is said once per run. */
  #noteLabels(): void {
    const { name } = this.#expected;
    const { notes } = this.#context.memory;
    if (encodingOf(this.#headers) !== null) {
      notes.add(`The target compressed ${name} although identity was asked; it was decoded.`);
    }
    if (!isJsonLabel(this.#headers)) {
      notes.add(`The target did not label ${name} as JSON; it was read as JSON all the same.`);
    }
  }
}

const isJsonLabel = (headers: Headers): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
