import type { Outcome } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import { excerpt } from '../answer/excerpt.ts';
import { ByteBuffer } from '../answer/byte-buffer.ts';
import type { ReadingContext } from '../traffic-handler.ts';
import { htmlTitle, looksLikeHtml, readErrorBody } from '../answer/read-refusal.ts';
import { type BodyReader, malformedOutcome } from '../answer/response-reader.ts';

const maxKeptBytes = 64 * 1024;

/** Reads a 2xx body that is not the requested stream of events, from its first brace, bracket or tag, and describes it. */
export class UnexpectedBody implements BodyReader {
  readonly isComplete = false;
  readonly abortReason = null;
  readonly isAnswering = true;
  readonly #redact: ReadingContext['redact'];
  readonly #body = new ByteBuffer(maxKeptBytes);

  constructor(redact: ReadingContext['redact']) {
    this.#redact = redact;
  }

  onBytes(_at: Instant, bytes: Uint8Array): void {
    this.#body.append(bytes);
  }

  outcome(): Outcome {
    const text = this.#body.bytes().toString('utf8');
    if (looksLikeHtml(text)) {
      const title = excerpt(htmlTitle(text), this.#redact);
      return malformedOutcome(
        'content-type',
        `an HTML page was returned instead of a stream: ${title}`,
      );
    }
    const json = parseJson(text);
    const error = readErrorBody(json, this.#redact);
    if (error !== null) {
      return malformedOutcome(
        'stream-error',
        `a JSON error was returned instead of a stream: ${error.message}`,
      );
    }
    const isCompletion = this.#body.isTruncated
      ? /"choices"\s*:/.test(text)
      : typeof json === 'object' && json !== null && 'choices' in json;
    const what = isCompletion ? 'a whole chat completion' : 'a body that is not an event stream';
    const hint = isCompletion ? '; the target does not honour `stream: true`' : '';
    return malformedOutcome('content-type', `${what} was returned instead of a stream${hint}`);
  }

  partial(): null {
    return null;
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
