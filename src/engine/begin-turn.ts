import type { Clock } from '../model/clock.ts';
import type { Instant } from '../model/quantity.ts';

/** The minimum length of a turn in ms. In a turn, due requests begin. */
const shortestTurn = 1;
/**
 * The maximum pause between two turns in ms, while due requests wait. After this time, the next turn begins at the next
 * read of a socket. A timer alone would begin the turn too late: if thousands of reads wait, Node runs the timer only
 * after the last of these reads.
 */
const longestPause = 4;
/**
 * A constant in ms that sets the length of a turn. The length is w² / `patience`, where w is the wait of the oldest due
 * request in ms. Between two turns, answers are read for at most `longestPause`, plus the rest of the read that is then
 * in progress. In simulated overloads, a request therefore waited for about 60 ms if reads were short, and for less
 * than 100 ms if each read took up to 5 ms.
 */
const patience = 300;

/**
 * Divides requests that are due at the same time among several turns of the event loop. Answers to other requests are
 * read between the turns. The longer the oldest request has waited, the longer the turn is.
 */
export class BeginTurn {
  /** Whether due requests must wait for the next turn. */
  isHeld = false;
  readonly #clock: Pick<Clock, 'now'>;
  #until = 0;
  #hasBegun = false;
  #heldUntil = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns whether a turn may begin at `now`, although the event loop may still have much to read. */
  mayOpen(now: Instant): boolean {
    return !this.isHeld || now >= this.#heldUntil;
  }

  /**
   * Opens a turn at `now`. `oldest` is the earliest due instant of the requests that have not begun; `null` if no
   * request is left. In the last turn (`isLast`), all requests may begin.
   */
  open(now: Instant, oldest: Instant | null, isLast: boolean): void {
    const waited = Math.max(0, now - (oldest ?? now));
    const length = Math.max(shortestTurn, waited ** 2 / patience);
    this.#until = isLast ? Number.POSITIVE_INFINITY : now + length;
    this.#hasBegun = false;
    this.isHeld = false;
  }

  /**
   * Returns whether a request may begin in this turn. The caller asks before each request. The first request of a turn
   * may always begin.
   */
  readonly mayBegin = (): boolean => {
    const now = this.#clock.now();
    this.isHeld = this.#hasBegun && now >= this.#until;
    this.#heldUntil = now + longestPause;
    this.#hasBegun = true;
    return !this.isHeld;
  };
}
