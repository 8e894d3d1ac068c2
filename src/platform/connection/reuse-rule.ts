import type { ConnectionSettings } from '../../model/plan/plan.ts';

/**
 * If the server ends this many connections in a row just after the same number of answers, Weir concludes that the
 * server always ends a connection after this number of answers.
 */
const endsForRule = 3;
/** After this many answers in a row on reused connections, Weir concludes that the server keeps its connections. */
const reusesForTrust = 3;
/**
 * How long a connection rests after its answer, in ms. `atFirst` applies while nothing is known about the server. If
 * such a server ends the connection, the end (FIN) often follows the answer within 0.1 ms, or on a busy machine within
 * a few ms. `afterOne` applies after a connection has stayed open for a whole rest. `suspected` applies if the server
 * ended the latest connection after the same number of answers. Without rests, a request could be sent after the
 * server's end. Some servers still read such a request, and the client cannot know whether the server processed the
 * request.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/**
 * If the server ends a connection at most this many ms after an answer, the end counts as caused by the answer. A later
 * end means that the server closed an idle connection.
 */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

/**
 * Observes after how many answers a server ends its connections. A target has two such objects: one for connections
 * whose latest answer was chunked, and one for all other connections.
 */
export class ObservedEnds {
  /** After this many answers, a connection is not used again. */
  limit = Number.POSITIVE_INFINITY;
  /** All limits that Weir has concluded so far, including those that turned out to be wrong. */
  readonly concluded = new Set<number>();
  readonly dropped = new Set<number>();
  /**
   * `answers` is the number of answers after which the server ended the latest connections. `inARow` is the number of
   * connections in a row that the server has ended after this number of answers.
   */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether a connection has stayed open for its whole rest since the server last ended a connection. */
  #hasRested = false;

  get hasKept(): boolean {
    return this.#hasRested || this.#reusesInARow > 0;
  }

  /**
   * Returns how long a connection rests after its `answers`-th answer, in ms; 0 if the server is known to keep
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

  /** Records that the server ended a connection after `answers` answers, `age` ms after the last answer. */
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

  /** Records that a connection stayed open after `limit` answers. So the limit is wrong, or the server has changed. */
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
   * Whether the latest answer on the connection was chunked, as streamed answers are. Some servers close connections
   * only after chunked answers.
   */
  readonly isChunked: boolean;
}

/**
 * Returns sentences that say after how many answers the server ended or kept connections. The sentences name `framing`
 * (chunked or unchunked) only if the server treats answers with the other framing differently.
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
 * Decides after how many answers a connection is not used again. The scenario can set a maximum. If the server ends
 * connections earlier without announcing it, the observed number of answers is the limit, whatever the server's
 * `Keep-Alive` header says.
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

  /** Returns whether only the observed limit, not the scenario, prevents another use of the connection. */
  isOnlyObserved(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers >= this.endsOf(connection).limit && answers < this.#allowed;
  }

  /**
   * Returns the observations for connections with the framing of this connection's latest answer: chunked or unchunked.
   */
  endsOf({ isChunked }: AnsweredConnection): ObservedEnds {
    return isChunked ? this.#chunked : this.#whole;
  }
}
