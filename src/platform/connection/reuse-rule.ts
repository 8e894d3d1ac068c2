import type { ConnectionSettings } from '../../model/plan/plan.ts';

/**
 * How many connections in a row the server must end just after the same number of answers before that number counts as
 * the server's rule.
 */
const endsForRule = 3;
/** How many answers in a row must come on reused connections before the server is known to keep its connections. */
const reusesForTrust = 3;
/**
 * How long a connection rests after its answer, in ms. `atFirst` applies while nothing is known of the server: its end
 * often follows the answer by 0.1 ms, on a busy machine by a few ms. `afterOne` applies once a connection has stayed
 * open for a rest. `suspected` applies if the server ended the latest connection after the same number of answers.
 * Rests are needed because some servers still read requests after they have ended their side, and nothing shows whether
 * they processed them.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/**
 * How soon after an answer, in ms, an end must come to be a consequence of the answer. A later end means that the
 * connection was idle for too long.
 */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

/**
 * Observes after how many answers a server ends its connections. One such object observes connections whose latest
 * answer was chunked, another one all other connections.
 */
export class ObservedEnds {
  /** The number of answers after which a connection is not used again. */
  limit = Number.POSITIVE_INFINITY;
  /** All limits that were concluded so far, including those that turned out to be wrong. */
  readonly concluded = new Set<number>();
  readonly dropped = new Set<number>();
  /** The latest connections that the server ended, all of them after the same number of answers. */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether, since the server last ended a connection, another connection has stayed open for its whole rest. */
  #hasRested = false;

  get hasKept(): boolean {
    return this.#hasRested || this.#reusesInARow > 0;
  }

  /**
   * Returns how long a connection rests after its `answers`-th answer, in ms; 0 once the server is known to keep its
   * connections.
   */
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

  /** Records that the server ended a connection `age` ms after the last of this many answers. */
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

  /**
   * Records that a connection stayed open after the observed number of answers. So the observed rule is wrong, or the
   * server has changed.
   */
  onKept(): void {
    if (this.limit === Number.POSITIVE_INFINITY) return;
    this.dropped.add(this.limit);
    this.limit = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}

export interface AnsweredConnection {
  readonly answers: number;
  /**
   * Whether the latest answer on the connection was chunked, as streams are. Some servers close connections only after
   * chunked answers.
   */
  readonly isChunked: boolean;
}

/**
 * Returns sentences about what was observed. The sentences name `framing` only if the server treats other answers
 * differently.
 */
const notesOf = (ends: ObservedEnds, other: ObservedEnds, framing: string): readonly string[] => {
  const answersText = (answers: number, one: string): string => {
    const isAny = !other.hasKept || other.concluded.has(answers);
    if (answers === 1) return `${one} ${isAny ? '' : `${framing} `}answer`;
    return `${answers} answers${isAny ? '' : `, the last of them ${framing},`}`;
  };
  const closes = Array.from(
    ends.concluded,
    (answers) =>
      `The server closes its connections after ${answersText(answers, 'each')} without announcing it: ${endsForRule} in a row ended like that. From then on they were not used again after that.`,
  );
  const kept = Array.from(
    ends.dropped,
    (answers) =>
      `Later in the run the server kept a connection open after ${answersText(answers, 'its first')}: such connections were used again from then on.`,
  );
  return [...closes, ...kept];
};

/**
 * Decides after how many answers a connection is not used again. The scenario can name the number. If it does not, and
 * if the server ends its connections without announcing it, the number that was observed is used, whatever the server's
 * `Keep-Alive` says.
 */
export class ReuseRule {
  readonly #allowed: number;
  readonly #chunked = new ObservedEnds();
  readonly #whole = new ObservedEnds();

  constructor({
    reuse = true,
    maxRequestsPerConnection,
  }: Pick<ConnectionSettings, 'reuse' | 'maxRequestsPerConnection'>) {
    this.#allowed = reuse ? (maxRequestsPerConnection ?? Number.POSITIVE_INFINITY) : 1;
  }

  get notes(): readonly string[] {
    const ofChunked = notesOf(this.#chunked, this.#whole, 'chunked');
    const ofWhole = notesOf(this.#whole, this.#chunked, 'unchunked');
    return [...new Set([...ofChunked, ...ofWhole])];
  }

  allowsReuse(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers < this.#allowed && answers < this.endsOf(connection).limit;
  }

  /**
   * Returns whether the observed rule is the only reason why a connection is not used again. The other possible
   * reason is the scenario.
   */
  isOnlyObserved(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers >= this.endsOf(connection).limit && answers < this.#allowed;
  }

  /**
   * Returns what was observed on connections whose latest answer was chunked, or on all others, depending on this
   * connection.
   */
  endsOf({ isChunked }: AnsweredConnection): ObservedEnds {
    return isChunked ? this.#chunked : this.#whole;
  }
}
