import type { Outcome } from '../../model/observation/outcome.ts';
import { type BodyReader, malformedOutcome } from './response-reader.ts';

/** Rejects a compressed body whose parts are timed: the instants would be those of the compressor's blocks. */
export class CompressedBody implements BodyReader {
  readonly isComplete = true;
  readonly abortReason = null;
  readonly isAnswering = true;
  readonly #name: string;
  readonly #encoding: string;

  /** `name` is what the body is called in sentences, for example `the stream`. */
  constructor(name: string, encoding: string) {
    this.#name = name;
    this.#encoding = encoding;
  }

  onBytes(): void {}

  outcome(): Outcome {
    const detail = `the server sent ${this.#name} in the content encoding ${this.#encoding} although identity was requested; compression blurs the measured instants: switch it off for these answers`;
    return malformedOutcome('content-type', detail);
  }

  partial(): null {
    return null;
  }
}
