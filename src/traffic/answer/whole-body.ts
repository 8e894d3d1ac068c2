import type { Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import { decodeBody, encodingOf } from './content-encoding.ts';
import { excerpt } from './excerpt.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { AnswerReader, ReadingContext } from '../traffic-handler.ts';
import { htmlTitle, looksLikeHtml } from './read-refusal.ts';
import {
  type BodyReader,
  type ResponseHeaders,
  malformedOutcome,
  readResponse,
} from './response-reader.ts';

/** A complete 2xx body as text: neither blank nor an HTML page. */
export interface WholeBody {
  readonly text: string;
  readonly headers: ResponseHeaders;
  readonly firstByte: Instant;
}

/** What a traffic kind expects of a text answer. */
export interface ExpectedBody {
  /** Its name in messages, for example `a model list`. */
  readonly name: string;
  readonly interpret: (body: WholeBody) => Outcome;
}

/** Reads a response whose 2xx body is checked when it is complete. */
export const readWholeBody = (context: ReadingContext, expected: ExpectedBody): AnswerReader =>
  readResponse(context, (headers) => new WholeBodyReader(context, headers, expected));

class WholeBodyReader implements BodyReader {
  readonly isComplete = false;
  readonly abortReason = null;
  readonly isAnswering = true;
  readonly #context: ReadingContext;
  readonly #headers: ResponseHeaders;
  readonly #expected: ExpectedBody;
  readonly #body: ByteBuffer;
  #firstByte: Instant | null = null;

  constructor(context: ReadingContext, headers: ResponseHeaders, expected: ExpectedBody) {
    this.#context = context;
    this.#headers = headers;
    this.#expected = expected;
    this.#body = new ByteBuffer(context.caps.bytes);
  }

  onBytes(at: Instant, bytes: Uint8Array): void {
    this.#firstByte ??= at;
    this.#body.append(bytes);
  }

  outcome(): Outcome {
    const { name } = this.#expected;
    const firstByte = this.#firstByte;
    if (firstByte === null)
      return malformedOutcome('empty', `the body is empty; ${name} was expected`);
    const encoding = encodingOf(this.#headers);
    const text = this.#text(encoding);
    if (text === null) {
      const detail = `the body cannot be read in its content encoding ${encoding}; identity was requested`;
      return malformedOutcome('content-type', detail);
    }
    if (encoding !== null) {
      this.#context.targetMemory.notes.add(
        `The target compressed ${name} although identity was requested; it was decoded.`,
      );
    }
    if (text.trim() === '')
      return malformedOutcome('empty', `the body is blank; ${name} was expected`);
    if (looksLikeHtml(text)) {
      const title = excerpt(htmlTitle(text), this.#context.redact);
      return malformedOutcome(
        'content-type',
        `an HTML page was returned instead of ${name}: ${title}`,
      );
    }
    return this.#expected.interpret({ text, headers: this.#headers, firstByte });
  }

  partial(): null {
    return null;
  }

  #text(encoding: string | null): string | null {
    const bytes = decodeBody(this.#body.bytes(), encoding, this.#context.caps.bytes);
    return bytes?.toString('utf8').replace(/^\ufeff/, '') ?? null;
  }
}
