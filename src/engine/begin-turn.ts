import type { Clock } from '../model/clock.ts';

/** How long requests are begun in one turn of the loop, in ms: what has arrived meanwhile is read before the next ones begin. */
const longestBegin = 1;

/** Divides the requests that are due at once among turns of the event loop. */
export class BeginTurn {
  /** Whether due requests wait for the next turn. */
  isHeld = false;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A question to ask before each request: whether it may begin in this turn. The first one always may; all may where `isLast`. */
  open(isLast: boolean): () => boolean {
    const until = isLast ? Number.POSITIVE_INFINITY : this.#clock.now() + longestBegin;
    let hasBegun = false;
    this.isHeld = false;
    return () => {
      this.isHeld = hasBegun && this.#clock.now() >= until;
      hasBegun = true;
      return !this.isHeld;
    };
  }
}
