import type { ChunkFrames } from './chunk-frames.ts';
import type { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import type { Instants, Speaker } from './serving/pace.ts';
import type { Tally } from './tally.ts';
import type { Witness } from './truth.ts';

interface Parts {
  readonly exchange: Exchange;
  readonly tokens: readonly string[];
  readonly frames: ChunkFrames;
  readonly stream: EventStream;
}

/**
 * Says a chat token by token; the role comes with the first token, the end with the last. Everything that a
 * token needs hangs on this one object, as `Recurring` says why.
 */
export class StreamedAnswer implements Speaker {
  readonly #tokens: readonly string[];
  readonly #frames: ChunkFrames;
  readonly #stream: EventStream;
  readonly #witness: Witness | null;
  readonly #counted: Tally['tokens'];
  readonly #complete: () => string;
  #sent = 0;

  /** `complete` is called when all tokens are said; it returns the events that end the answer. */
  constructor({ exchange, tokens, frames, stream }: Parts, complete: () => string) {
    this.#tokens = tokens;
    this.#frames = frames;
    this.#stream = stream;
    this.#witness = exchange.witness;
    this.#counted = exchange.tally.tokens;
    this.#complete = complete;
  }

  /** How many tokens were said. */
  get sent(): number {
    return this.#sent;
  }

  emit(from: number, to: number, at: Instants): void {
    const tokens = this.#tokens;
    let events = '';
    if (from === 0) {
      this.#witness?.note({ prefillEnd: at.dueOf(0) });
      events = this.#frames.opening;
    }
    this.#sent = Math.min(to, tokens.length);
    for (let step = from; step < this.#sent; step += 1) {
      events += this.#frames.token(tokens[step]!);
      this.#witness?.send(at.dueOf(step));
    }
    this.#counted.output += this.#sent - from;
    if (to < tokens.length) {
      this.#stream.write(events);
      return;
    }
    this.#stream.write(events + this.#complete());
    this.#stream.end();
  }
}
