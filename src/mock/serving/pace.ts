import type { MockClock, Recurring } from '../clock.ts';

/** When each token is due. */
export interface Instants {
  dueOf(step: number): number;
}

/** Who says the tokens. */
export interface Speaker {
  /** Tells that tokens `from` … `to` − 1 are due, `at` their instants. Between two calls nothing is due. */
  emit(from: number, to: number, at: Instants): void;
}

/** Step n is due at `first + n · gap`, n < `steps`; instants on the clock's monotonic scale. */
export interface Deadlines {
  readonly first: number;
  readonly gap: number;
  readonly steps: number;
}

/** Steps at their instants, as far as they have been told. */
class Pace implements Instants, Recurring {
  readonly #clock: MockClock;
  readonly #first: number;
  readonly #gap: number;
  readonly #steps: number;
  readonly #speaker: Speaker;
  #next = 0;

  constructor(clock: MockClock, { first, gap, steps }: Deadlines, speaker: Speaker) {
    this.#clock = clock;
    this.#first = first;
    this.#gap = gap;
    this.#steps = steps;
    this.#speaker = speaker;
  }

  dueOf(step: number): number {
    return this.#first + step * this.#gap;
  }

  run(): number | null {
    const now = this.#clock.now();
    const from = this.#next;
    while (this.#next < this.#steps && this.dueOf(this.#next) <= now) this.#next += 1;
    if (this.#next > from) this.#speaker.emit(from, this.#next, this);
    return this.#next < this.#steps ? this.dueOf(this.#next) : null;
  }
}

/**
 * Lets `speaker` say each step when it falls due, at once those that already have. Deadlines are absolute, so one
 * late step does not delay the next, and none is early. The returned function calls the rest off.
 */
export const pace = (clock: MockClock, deadlines: Deadlines, speaker: Speaker): (() => void) => {
  const steps = new Pace(clock, deadlines, speaker);
  const due = steps.run();
  return due === null ? () => undefined : clock.series(due, steps);
};
