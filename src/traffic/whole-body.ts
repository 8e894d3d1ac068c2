import type { Outcome } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { decoded, encodingOf } from './encoding.ts';
import { excerpt } from './excerpt.ts';
import { Gathered } from './gathered.ts';
import type { AnswerReader, ReadingContext } from './kind.ts';
import { htmlTitle, looksLikeHtml } from './refusal.ts';
import { type BodyReader, type Headers, malformed, readResponse } from './response.ts';

/** A 2xx body that came whole, as text: neither blank nor an HTML page. */
export interface WholeBody {
  readonly text: string;
  readonly headers: Headers;
  readonly firstByte: Instant;
}

/** What a kind whose answer is one text expects of it. */
export interface WholeAnswer {
  /** What the text is called in sentences, for example `a model list`. */
  readonly name: string;
  readonly judge: (body: WholeBody) => Outcome;
}

/** The reader of a response whose 2xx body is judged when it is whole. */
export const readWhole = (context: ReadingContext, expected: WholeAnswer): AnswerReader =>
  readResponse(context, (headers) => new WholeReader(context, headers, expected));

class WholeReader implements BodyReader {
  readonly complete = false;
  readonly verdict = null;
  readonly answering = true;
  readonly #context: ReadingContext;
  readonly #headers: Headers;
  readonly #expected: WholeAnswer;
  readonly #body: Gathered;
  #firstByte: Instant | null = null;

  constructor(context: ReadingContext, headers: Headers, expected: WholeAnswer) {
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
    const encoding = encodingOf(this.#headers);
    const text = this.#text(encoding);
    if (text === null) {
      const detail = `the body cannot be read in its content encoding ${encoding}; identity was asked`;
      return malformed('content-type', detail);
    }
    if (encoding !== null) {
      this.#context.memory.notes.add(
        `The target compressed ${name} although identity was asked; it was decoded.`,
      );
    }
    if (text.trim() === '') return malformed('empty', `the body is blank; ${name} was expected`);
    if (looksLikeHtml(text)) {
      const title = excerpt(htmlTitle(text), this.#context.redact);
      return malformed('content-type', `an HTML page came in place of ${name}: ${title}`);
    }
    return this.#expected.judge({ text, headers: this.#headers, firstByte });
  }

  partial(): null {
    return null;
  }

  #text(encoding: string | null): string | null {
    const bytes = decoded(this.#body.bytes(), encoding, this.#context.caps.bytes);
    return bytes?.toString('utf8').replace(/^\ufeff/, '') ?? null;
  }
}
