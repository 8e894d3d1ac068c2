import type { ChunkFrames } from './chunk-frames.ts';
import type { EventStream } from '../http/event-stream.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import type { TokenDueTimes, TokenSink } from '../serving/token-schedule.ts';
import type { MockCounters } from '../counters/mock-counters.ts';
import type { RequestTrace } from '../http/request-trace.ts';

interface StreamParts {
  readonly exchange: MockExchange;
  readonly tokens: readonly string[];
  readonly frames: ChunkFrames;
  readonly stream: EventStream;
}

/**
 * Streams a chat token by token, the role with the first token, the end with the last. Everything that a token needs
 * is in this one object, for the reason in `Recurring`.
 */
export class StreamedAnswer implements TokenSink {
  readonly #tokens: readonly string[];
  readonly #frames: ChunkFrames;
  readonly #stream: EventStream;
  readonly #trace: RequestTrace | null;
  readonly #tokenCounters: MockCounters['tokens'];
  readonly #complete: () => string;
  #sent = 0;

  /** `complete` is called after the last token and returns the events that end the answer. */
  constructor({ exchange, tokens, frames, stream }: StreamParts, complete: () => string) {
    this.#tokens = tokens;
    this.#frames = frames;
    this.#stream = stream;
    this.#trace = exchange.trace;
    this.#tokenCounters = exchange.counters.tokens;
    this.#complete = complete;
  }

  get sent(): number {
    return this.#sent;
  }

  emit(from: number, to: number, at: TokenDueTimes): void {
    const tokens = this.#tokens;
    let events = '';
    if (from === 0) {
      this.#trace?.setFields({ prefillEnd: at.dueOf(0) });
      events = this.#frames.opening;
    }
    this.#sent = Math.min(to, tokens.length);
    for (let step = from; step < this.#sent; step += 1) {
      events += this.#frames.token(tokens[step]!);
      this.#trace?.recordToken(at.dueOf(step));
    }
    this.#tokenCounters.output += this.#sent - from;
    if (to < tokens.length) {
      this.#stream.write(events);
      return;
    }
    this.#stream.write(events + this.#complete());
    this.#stream.end();
  }
}
