import type { Outcome } from '../model/observation.ts';
import type { Instant } from '../model/quantity.ts';
import { excerpt } from './excerpt.ts';
import { Gathered } from './gathered.ts';
import type { ReadingContext } from './kind.ts';
import { htmlTitle, looksLikeHtml, readErrorBody } from './refusal.ts';
import { type BodyReader, malformed } from './response.ts';

const kept = 64 * 1024;

/** Reads a 2xx body, from its first brace, bracket or tag, that came where a stream of events was asked for, and says what it is. */
export class NotAStream implements BodyReader {
  readonly complete = false;
  readonly verdict = null;
  readonly answering = true;
  readonly #redact: ReadingContext['redact'];
  readonly #body = new Gathered(kept);

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
      return malformed('content-type', `an HTML page came in place of a stream: ${title}`);
    }
    const json = jsonOf(text);
    const error = readErrorBody(json, this.#redact);
    if (error !== null) {
      return malformed('stream-error', `a JSON error came in place of a stream: ${error.message}`);
    }
    const isCompletion = this.#body.cut
      ? /"choices"\s*:/.test(text)
      : typeof json === 'object' && json !== null && 'choices' in json;
    const what = isCompletion ? 'a whole chat completion' : 'a body that is no event stream';
    const hint = isCompletion ? '; the target does not honour `stream: true`' : '';
    return malformed('content-type', `${what} came in place of a stream${hint}`);
  }

  partial(): null {
    return null;
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
