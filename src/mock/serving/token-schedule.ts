import type { MockClock, Recurring } from '../clock/mock-clock.ts';

/** When each token is due. */
export interface TokenDueTimes {
  dueOf(step: number): number;
}

/** Who says the tokens. */
export interface TokenSink {
  /** Tells that tokens `from` … `to` − 1 are due, `at` their instants. Between two calls nothing is due. */
  emit(from: number, to: number, at: TokenDueTimes): void;
}

/** Step n is due at `first + n · gap`, n < `steps`; instants on the clock's monotonic scale. */
export interface TokenTiming {
  readonly first: number;
  readonly gap: number;
  readonly steps: number;
}

/** Steps at their instants, as far as they have been told. */
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
 * Lets `speaker` say each step when it falls due, at once those that already have. TokenTiming are absolute, so one
 * late step does not delay the next, and none is early. The returned function calls the rest off.
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
