import type { Outcome } from '../model/observation.ts';
import { type BodyReader, malformed } from './response.ts';

/** A body in a content encoding whose parts are timed: the instants would be those of the compressor's blocks. */
export class CompressedBody implements BodyReader {
  readonly complete = true;
  readonly verdict = null;
  readonly answering = true;
  readonly #name: string;
  readonly #encoding: string;

  /** `name` is what the body is called in sentences, for example `the stream`. */
  constructor(name: string, encoding: string) {
    this.#name = name;
    this.#encoding = encoding;
  }

  onBytes(): void {}

  outcome(): Outcome {
    const detail = `the server sent ${this.#name} in the content encoding ${this.#encoding} although identity was asked; compression blurs the instants that are measured, so switch it off for such answers`;
    return malformed('content-type', detail);
  }

  partial(): null {
    return null;
  }
}
