import type { ConnectionSettings } from '../../model/plan/plan.ts';

/**
 * The number of successive connections that the server must end just after the same number of answers before this
 * counts as its rule.
 */
const endsForRule = 3;
/** The number of successive answers on reused connections after which the server is known to keep them. */
const reusesForTrust = 3;
/**
 * How long a connection rests after its answer, in ms: `atFirst` while nothing is known of the server (its end often
 * follows the answer by 0.1 ms, on a busy machine by a few ms); `afterOne` once a connection has stayed open that long;
 * `suspected` if the server ended the latest connection after this number of answers. Some servers still read requests
 * after their end, and nothing shows whether they acted on them.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/** The time after an answer, in ms, within which an end is not that of an idle connection. */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

/**
 * Observes after how many answers a server ends its connections, for connections whose latest answer has one framing.
 */
export class ObservedEnds {
  /** The number of answers after which connections are not used again. */
  limit = Number.POSITIVE_INFINITY;
  /** Every limit that was ever concluded, even if it turned out to be wrong. */
  readonly concluded = new Set<number>();
  readonly dropped = new Set<number>();
  /** The latest connections that the server ended, all after the same number of answers. */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether a connection has stayed open through its rest since the latest end. */
  #hasRested = false;

  get hasKept(): boolean {
    return this.#hasRested || this.#reusesInARow > 0;
  }

  /** How long a connection rests after its `answers`-th answer, in ms; 0 once the server is known to keep it. */
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

  /** Notes that the server ended a connection `age` ms after the last of this many answers. */
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
   * Notes that a connection stayed open after the observed number of answers: the observed rule is wrong, or the server
   * has changed.
   */
  onKept(): void {
    if (this.limit === Number.POSITIVE_INFINITY) return;
    this.dropped.add(this.limit);
    this.limit = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}

/** The facts about a connection when it becomes idle. */
export interface AnsweredConnection {
  /** The number of answers that came on it. */
  readonly answers: number;
  /** Whether its latest answer was chunked, like streams: some servers close only after chunked answers. */
  readonly isChunked: boolean;
}

/** Sentences about what was observed. They name `framing` only if the server treats other answers differently. */
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
 * Decides after how many answers a connection is not used again: as the scenario says, or as observed if a server ends
 * its connections unannounced, whatever its `Keep-Alive` says.
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

  /** Returns whether only the observed rule, not the scenario, prevents the reuse of a connection. */
  isOnlyObserved(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers >= this.endsOf(connection).limit && answers < this.#allowed;
  }

  /** Returns the observed ends of connections whose latest answer had the same framing as that of this connection. */
  endsOf({ isChunked }: AnsweredConnection): ObservedEnds {
    return isChunked ? this.#chunked : this.#whole;
  }
}
