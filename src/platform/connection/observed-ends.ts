/** How many connections in a row the server has to end just after the same number of answers until this is taken as its rule. */
export const endsForRule = 3;
/** How many answers in a row have to come on reused connections until the server is known to keep them. */
const reusesForTrust = 3;
/**
 * How long a connection is left alone after its answer, in ms: `atFirst` while nothing is known of the server (its end often follows the
 * answer by 0.1 ms, on a busy machine by a few); `afterOne` once a connection has stayed open that long; `suspected` if the server ended the
 * latest connection after this number of answers. Some servers still read what arrives after their end, and nothing shows whether they acted on it.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/** An end within this time after an answer, in ms, is not that of an idle connection. */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

/** After how many answers a server ends its connections, as observed of those whose latest answer was of one framing. */
export class ObservedEnds {
  /** Connections are not used after so many answers. */
  limit = Number.POSITIVE_INFINITY;
  /** Every limit that was concluded, and every one that turned out to be wrong. */
  readonly concluded = new Set<number>();
  readonly dropped = new Set<number>();
  /** The latest connections that the server ended after the same number of answers. */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether a connection has outlived its rest since the latest end. */
  #hasRested = false;

  /** Whether the server has kept a connection open, for a moment or for longer. */
  get hasKept(): boolean {
    return this.#hasRested || this.#reusesInARow > 0;
  }

  /** How long a connection is left alone after `answers` answers on it, in ms; 0 once the server is known to keep it. */
  restAfter(answers: number): number {
    if (answers === this.#ends.answers) return rest.suspected;
    if (this.#reusesInARow >= reusesForTrust) return 0;
    return this.#hasRested ? rest.afterOne : rest.atFirst;
  }

  onRested(): void {
    this.#hasRested = true;
  }

  onReused(answers: number): void {
    this.#reusesInARow += 1;
    if (answers >= this.#ends.answers) this.#ends = noEnds;
  }

  onEnded(answers: number, age: number): void {
    if (answers === 0 || age > justAfter) return;
    this.#reusesInARow = 0;
    this.#hasRested = false;
    const inARow = answers === this.#ends.answers ? this.#ends.inARow + 1 : 1;
    this.#ends = { answers, inARow };
    if (inARow < endsForRule) return;
    this.limit = answers;
    this.concluded.add(answers);
  }

  onKept(): void {
    if (this.limit === Number.POSITIVE_INFINITY) return;
    this.dropped.add(this.limit);
    this.limit = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}
