import type { Clock } from '../model/clock.ts';

/** How long requests are begun in one turn of the loop, in ms: what has arrived meanwhile is read before the next ones begin. */
const longestBegin = 1;

/** Divides the requests that are due at once among turns of the event loop. */
export class BeginTurn {
  /** Whether due requests wait for the next turn. */
  isHeld = false;
  readonly #clock: Clock;
  #until = 0;
  #hasBegun = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens the turn of `now`; in the last turn of all nothing is held. */
  open(now: number, isLast: boolean): void {
    this.#until = isLast ? Number.POSITIVE_INFINITY : now + longestBegin;
    this.#hasBegun = false;
    this.isHeld = false;
  }

  /** Whether a request may begin in this turn, to be asked before each of them; the first one always may. */
  readonly mayBegin = (): boolean => {
    this.isHeld = this.#hasBegun && this.#clock.now() >= this.#until;
    this.#hasBegun = true;
    return !this.isHeld;
  };
}
