import type { MockClock, Recurring } from '../clock/mock-clock.ts';

export interface TokenDueTimes {
  dueOf(step: number): number;
}

export interface TokenSink {
  /** Called with the due times when the tokens `from` to `to` − 1 are due. */
  emit(from: number, to: number, at: TokenDueTimes): void;
}

/** The due times of tokens: token n is due at `first + n · gap`, n < `steps`, in ms on the monotonic clock. */
interface TokenTiming {
  readonly first: number;
  readonly gap: number;
  readonly steps: number;
}

class TokenSchedule implements TokenDueTimes, Recurring {
  readonly #clock: MockClock;
  readonly #first: number;
  readonly #gap: number;
  readonly #steps: number;
  readonly #sink: TokenSink;
  #next = 0;

  constructor(clock: MockClock, { first, gap, steps }: TokenTiming, sink: TokenSink) {
    this.#clock = clock;
    this.#first = first;
    this.#gap = gap;
    this.#steps = steps;
    this.#sink = sink;
  }

  dueOf(step: number): number {
    return this.#first + step * this.#gap;
  }

  run(): number | null {
    const now = this.#clock.now();
    const from = this.#next;
    while (this.#next < this.#steps && this.dueOf(this.#next) <= now) this.#next += 1;
    if (this.#next > from) this.#sink.emit(from, this.#next, this);
    return this.#next < this.#steps ? this.dueOf(this.#next) : null;
  }
}

/**
 * Passes each token to `sink` when it is due. The returned function cancels the remaining tokens. A late token does not
 * delay later ones.
 */
export const scheduleTokens = (
  clock: MockClock,
  timing: TokenTiming,
  sink: TokenSink,
): (() => void) => {
  const steps = new TokenSchedule(clock, timing, sink);
  const due = steps.run();
  return due === null ? () => undefined : clock.series(due, steps);
};
